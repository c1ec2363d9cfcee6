#include "backend/cuda/sim_fixture.h"

#include <algorithm>
#include <random>
#include <thread>

namespace cutaway::cuda {

namespace {

class SimStreams : public Sim {
 protected:
  static constexpr int n = 20000;
  static constexpr unsigned blocks = (n + 255) / 256;

  void make_streams() {
    for (CUstream& s : st) s = stream();
    for (CUevent& e : ev) e = event();
    d[0] = upload(std::vector<float>(n, 1));
    for (int i = 1; i < 5; ++i) d[i] = upload(std::vector<float>(n, 0));
  }
  void step(CUstream to, const char* label, CUdeviceptr x, CUdeviceptr y, CUdeviceptr o) {
    const CUdeviceptr bytes = n * 4;
    sim::note_next({label, {{x, x + bytes, false}, {y, y + bytes, false}, {o, o + bytes, true}}});
    ASSERT_EQ(launch("vec_add", blocks, 1, 256, 0, to, x, y, o, int(n)), CUDA_SUCCESS);
  }
  void after(CUstream later, CUstream earlier, CUevent e) {
    ASSERT_EQ(api.cuEventRecord(e, earlier), CUDA_SUCCESS);
    ASSERT_EQ(api.cuStreamWaitEvent(later, e, 0), CUDA_SUCCESS);
  }
  // source -> left, right -> sink on three streams; `cut` leaves out one of the four edges.
  void diamond(int cut = -1) {
    step(st[0], "source", d[0], d[0], d[1]);
    if (cut != 0) after(st[1], st[0], ev[0]);
    if (cut != 1) after(st[2], st[0], ev[0]);
    step(st[1], "left", d[1], d[0], d[2]);
    step(st[2], "right", d[1], d[1], d[3]);
    if (cut != 2) after(st[0], st[1], ev[1]);
    if (cut != 3) after(st[0], st[2], ev[2]);
    step(st[0], "sink", d[2], d[3], d[4]);
  }
  CUgraph captured() {
    CUgraph graph = nullptr;
    EXPECT_EQ(api.cuStreamBeginCapture(st[0], CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
    diamond();
    EXPECT_EQ(api.cuStreamEndCapture(st[0], &graph), CUDA_SUCCESS);
    return graph;
  }
  CUgraphExec instantiated(CUgraph graph) {
    CUgraphExec exec = nullptr;
    EXPECT_EQ(api.cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
    return exec;
  }
  float result(CUdeviceptr p, size_t i) {
    finish(); // streams that do not block the default one are not in order with it
    return download(p, n)[i];
  }
  void finish() { ASSERT_EQ(api.cuCtxSynchronize(), CUDA_SUCCESS); }

  CUstream st[3] = {};
  CUevent ev[3] = {};
  CUdeviceptr d[5] = {};
};

TEST_F(SimStreams, LaunchesReturnBeforeTheyRun) {
  make_streams();
  sim::hold(true);
  diamond();
  EXPECT_EQ(api.cuStreamQuery(st[0]), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(api.cuEventQuery(ev[1]), CUDA_ERROR_NOT_READY);
  sim::hold(false);
  finish();
  EXPECT_EQ(api.cuStreamQuery(st[0]), CUDA_SUCCESS);
  EXPECT_EQ(result(d[4], n - 1), 7);
}

TEST_F(SimStreams, AMissingEdgeIsARaceWhateverRanFirst) {
  make_streams();
  for (int cut = 0; cut < 4; ++cut)
    for (sim::Pick pick : {sim::Pick::oldest, sim::Pick::newest, sim::Pick::random}) {
      finish();
      sim::set_pick(pick);
      diamond(cut);
      finish();
      EXPECT_FALSE(sim::take_reports().empty()) << cut;
    }
}

TEST_F(SimStreams, TheNewestFirstShowsTheWrongResult) {
  make_streams();
  sim::set_pick(sim::Pick::newest);
  sim::hold(true);
  diamond(2);
  sim::hold(false);
  finish();
  EXPECT_EQ(sim::take_reports().size(), 1u);
  EXPECT_NE(result(d[4], 0), 7);
}

TEST_F(SimStreams, AnyOrderThatEventsAllowGivesTheResult) {
  make_streams();
  for (int seed = 0; seed < 100; ++seed) {
    sim::set_pick(sim::Pick::random, unsigned(seed));
    diamond();
    ASSERT_EQ(result(d[4], n / 2), 7);
    ASSERT_EQ(api.cuMemsetD8Async(d[4], 0, n * 4, st[0]), CUDA_SUCCESS);
    finish();
  }
}

TEST_F(SimStreams, AGraphIsReplayed) {
  make_streams();
  const CUgraph graph = captured();
  EXPECT_EQ(result(d[4], 0), 0) << "a capture runs nothing";
  const CUgraphExec exec = instantiated(graph);
  size_t count = 0;
  ASSERT_EQ(api.cuGraphGetNodes(graph, nullptr, &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 4u);
  const auto before = sim::calls();
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(api.cuGraphLaunch(exec, st[0]), CUDA_SUCCESS);
  EXPECT_EQ(sim::calls()["cuLaunchKernel"], before.at("cuLaunchKernel"));
  EXPECT_EQ(result(d[4], n - 1), 7);
  ASSERT_EQ(api.cuGraphDestroy(graph), CUDA_SUCCESS);
  ASSERT_EQ(api.cuGraphLaunch(exec, st[1]), CUDA_SUCCESS) << "an executable graph outlives its graph";
  finish();
  ASSERT_EQ(api.cuGraphExecDestroy(exec), CUDA_SUCCESS);
}

TEST_F(SimStreams, AReplayCostsTheHostLessThanItsLaunches) {
  make_streams();
  const CUgraphExec exec = instantiated(captured());
  auto host_us = [&](auto&& run) {
    const size_t before = sim::timeline().size();
    run();
    finish();
    const auto spans = sim::timeline();
    double us = 0;
    for (size_t i = before; i < spans.size(); ++i)
      if (spans[i].unit == sim::Unit::host) us += spans[i].end_us - spans[i].begin_us;
    return us;
  };
  EXPECT_LT(host_us([&] { EXPECT_EQ(api.cuGraphLaunch(exec, st[0]), CUDA_SUCCESS); }), host_us([&] { diamond(); }));
}

TEST_F(SimStreams, ANodeIsReBound) {
  make_streams();
  const CUgraph graph = captured();
  const CUgraphExec exec = instantiated(graph);
  CUgraphNode nodes[4];
  size_t count = 4;
  ASSERT_EQ(api.cuGraphGetNodes(graph, nodes, &count), CUDA_SUCCESS);
  CUdeviceptr other = room(n * 4);
  int size = n;
  void* params[] = {&d[2], &d[3], &other, &size};
  CUDA_KERNEL_NODE_PARAMS p{function("vec_add"), blocks, 1, 1, 256, 1, 1, 0, params, nullptr, nullptr, nullptr};
  ASSERT_EQ(api.cuGraphExecKernelNodeSetParams(exec, nodes[3], &p), CUDA_SUCCESS);
  ASSERT_EQ(api.cuGraphLaunch(exec, st[0]), CUDA_SUCCESS);
  EXPECT_EQ(result(other, 5), 7);
  EXPECT_EQ(result(d[4], 5), 0);
  p.blockDimX = 512;
  EXPECT_EQ(api.cuGraphExecKernelNodeSetParams(exec, nodes[3], &p), CUDA_ERROR_INVALID_VALUE) << "over its bound";
}

TEST_F(SimStreams, AnExecutableGraphIsUpdated) {
  make_streams();
  const CUgraphExec exec = instantiated(captured());
  std::swap(d[0], d[4]); // other addresses, same shape
  const CUgraph moved = captured();
  CUgraphExecUpdateResultInfo info{};
  ASSERT_EQ(api.cuGraphExecUpdate(exec, moved, &info), CUDA_SUCCESS);
  ASSERT_EQ(api.cuMemcpyHtoD(d[0], std::vector<float>(n, 2).data(), n * 4), CUDA_SUCCESS);
  ASSERT_EQ(api.cuGraphLaunch(exec, st[0]), CUDA_SUCCESS);
  EXPECT_EQ(result(d[4], 9), 14);

  ASSERT_EQ(api.cuStreamBeginCapture(st[0], CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
  step(st[0], "alone", d[0], d[0], d[1]);
  CUgraph shorter = nullptr;
  ASSERT_EQ(api.cuStreamEndCapture(st[0], &shorter), CUDA_SUCCESS);
  EXPECT_EQ(api.cuGraphExecUpdate(exec, shorter, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
  ASSERT_EQ(api.cuGraphLaunch(exec, st[0]), CUDA_SUCCESS) << "a refused update changes nothing";
  EXPECT_EQ(result(d[4], 9), 14);
}

TEST_F(SimStreams, TheNodesOfAnUpdateKeepTheirKind) {
  make_streams();
  CUgraph graphs[2] = {};
  for (CUgraph& graph : graphs) {
    ASSERT_EQ(api.cuStreamBeginCapture(st[0], CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
    if (&graph == graphs) {
      ASSERT_EQ(api.cuMemsetD8Async(d[1], 0, 64, st[0]), CUDA_SUCCESS);
    } else {
      ASSERT_EQ(api.cuMemcpyDtoDAsync(d[1], d[0], 64, st[0]), CUDA_SUCCESS);
    }
    ASSERT_EQ(api.cuStreamEndCapture(st[0], &graph), CUDA_SUCCESS);
  }
  CUgraphExecUpdateResultInfo info{};
  EXPECT_EQ(api.cuGraphExecUpdate(instantiated(graphs[0]), graphs[1], &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
  CUgraphNodeType type{};
  ASSERT_EQ(api.cuGraphNodeGetType(info.errorNode, &type), CUDA_SUCCESS);
  EXPECT_EQ(type, CU_GRAPH_NODE_TYPE_MEMCPY);
}

TEST_F(SimStreams, ReadingElsewhereWhatIsFreedHereIsARace) {
  make_streams();
  CUdeviceptr p = 0;
  ASSERT_EQ(api.cuMemAllocAsync(&p, 4096, st[0]), CUDA_SUCCESS);
  ASSERT_EQ(api.cuMemFreeAsync(p, st[0]), CUDA_SUCCESS);
  sim::note_next({"late reader", {{p, p + 4096, false}}});
  ASSERT_EQ(launch("spin_block", 1, 1, 32, 0, st[1], 1), CUDA_SUCCESS);
  finish();
  EXPECT_EQ(sim::take_reports().size(), 1u);
}

TEST_F(SimStreams, PoolsKeepAccount) {
  make_streams();
  CUmemPoolProps props{};
  props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CUmemoryPool pool = nullptr;
  ASSERT_EQ(api.cuMemPoolCreate(&pool, &props), CUDA_SUCCESS);
  uint64_t threshold = 5000, value = 0;
  auto get = [&](CUmemPool_attribute a) {
    EXPECT_EQ(api.cuMemPoolGetAttribute(pool, a, &value), CUDA_SUCCESS);
    return value;
  };
  ASSERT_EQ(api.cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold), CUDA_SUCCESS);
  CUdeviceptr a = 0, b = 0;
  ASSERT_EQ(api.cuMemAllocFromPoolAsync(&a, 4000, pool, st[0]), CUDA_SUCCESS);
  ASSERT_EQ(api.cuMemAllocFromPoolAsync(&b, 4000, pool, st[0]), CUDA_SUCCESS);
  EXPECT_EQ(get(CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 8000u);
  ASSERT_EQ(api.cuMemFreeAsync(a, st[0]), CUDA_SUCCESS);
  ASSERT_EQ(api.cuMemFreeAsync(b, st[0]), CUDA_SUCCESS);
  EXPECT_EQ(get(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 8000u);
  finish();
  EXPECT_EQ(get(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 5000u) << "synchronising gives back what is over the threshold";
  ASSERT_EQ(api.cuMemPoolTrimTo(pool, 0), CUDA_SUCCESS);
  EXPECT_EQ(get(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 0u);
  EXPECT_EQ(get(CU_MEMPOOL_ATTR_USED_MEM_HIGH), 8000u);
  ASSERT_EQ(api.cuMemPoolDestroy(pool), CUDA_SUCCESS);
}

// Two kernels bound by memory take as long side by side as one after the other; two narrow ones bound by arithmetic do not.
TEST_F(SimStreams, TheModelSharesBandwidth) {
  make_streams();
  auto makespan = [&](double bytes, double flops, bool apart) {
    finish();
    double begin = 1e300, end = 0;
    const size_t before = sim::timeline().size();
    for (int i = 0; i < 2; ++i) {
      sim::note_next({"k", {}, bytes, flops});
      EXPECT_EQ(launch("spin_block", 30, 1, 256, 0, st[apart ? i : 0], 1), CUDA_SUCCESS);
    }
    finish();
    const auto spans = sim::timeline();
    for (size_t i = before; i < spans.size(); ++i) {
      if (spans[i].unit != sim::Unit::kernel) continue;
      begin = std::min(begin, spans[i].begin_us);
      end = std::max(end, spans[i].end_us);
    }
    return end - begin;
  };
  EXPECT_GT(makespan(3e9, 0, true), 0.9 * 2000);
  EXPECT_LT(makespan(1e3, 1e9, true), 0.6 * makespan(1e3, 1e9, false));
}

TEST_F(SimStreams, EventsMeasureModelledTime) {
  make_streams();
  ASSERT_EQ(api.cuEventRecord(ev[0], st[0]), CUDA_SUCCESS);
  sim::note_next({"k", {}, 3e9, 0}); // a millisecond
  ASSERT_EQ(launch("spin_block", 132, 1, 1024, 0, st[0], 1), CUDA_SUCCESS);
  ASSERT_EQ(api.cuEventRecord(ev[1], st[0]), CUDA_SUCCESS);
  ASSERT_EQ(api.cuEventSynchronize(ev[1]), CUDA_SUCCESS);
  float ms = 0;
  ASSERT_EQ(api.cuEventElapsedTime(&ms, ev[0], ev[1]), CUDA_SUCCESS);
  EXPECT_NEAR(ms, 1, 0.1);
}

// Another thread launches and asks while this one waits.
TEST_F(SimStreams, WaitingKeepsNobodyOut) {
  make_streams();
  CUcontext context = nullptr;
  ASSERT_EQ(api.cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
  sim::hold(true);
  ASSERT_EQ(launch("spin_block", 1, 1, 32, 0, st[0], 1), CUDA_SUCCESS);
  std::thread waiter([&] {
    EXPECT_EQ(api.cuCtxSetCurrent(context), CUDA_SUCCESS);
    EXPECT_EQ(api.cuStreamSynchronize(st[0]), CUDA_SUCCESS);
  });
  while (sim::calls()["cuStreamSynchronize"] == 0) std::this_thread::yield();
  EXPECT_EQ(api.cuStreamQuery(st[0]), CUDA_ERROR_NOT_READY);
  ASSERT_EQ(launch("spin_block", 1, 1, 32, 0, st[1], 1), CUDA_SUCCESS);
  sim::hold(false);
  waiter.join();
  finish();
}

TEST_F(SimStreams, ManyThreadsLaunchAtOnce) {
  make_streams();
  CUcontext context = nullptr;
  ASSERT_EQ(api.cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
  const CUdeviceptr count = upload(std::vector<int>{0, 0}), sum = upload(std::vector<double>{0});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      EXPECT_EQ(api.cuCtxSetCurrent(context), CUDA_SUCCESS);
      const CUstream own = stream();
      for (int i = 0; i < 50; ++i)
        EXPECT_EQ(launch("atomics", 2, 1, 256, 0, own, count, count + 4, count + 4, sum), CUDA_SUCCESS);
      EXPECT_EQ(api.cuStreamSynchronize(own), CUDA_SUCCESS);
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(download<int>(count, 1)[0], 4 * 50 * 512);
}

} // namespace

} // namespace cutaway::cuda
