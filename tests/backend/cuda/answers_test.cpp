// What drivers answer, against the tables of tests/data/cuda: the simulated one, and the real one where there is a GPU. A case
// that breaks the context is last in its process: ctest runs each in one of its own. What was answered is added to the file
// that CUTAWAY_ANSWERS names, a line `driver,case,in the table,answered` each.
#include "backend/cuda/csv.h"
#include "backend/cuda/machine.h"
#include "backend/cuda/sim/sim.h"

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <thread>

namespace cutaway::cuda {

namespace {

using Case = std::function<CUresult(Machine&)>;

CUresult tiny(Machine& m, CUstream s) {
  return m.launch("spin_block", 1, 1, 32, 0, s, 1);
}

CUstream capturing(Machine& m, CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL, unsigned flags = CU_STREAM_NON_BLOCKING) {
  const CUstream s = m.stream(flags);
  EXPECT_EQ(m.api.cuStreamBeginCapture(s, mode), CUDA_SUCCESS);
  return s;
}

void fork(Machine& m, CUstream from, CUstream to) {
  const CUevent e = m.event();
  EXPECT_EQ(m.api.cuEventRecord(e, from), CUDA_SUCCESS);
  EXPECT_EQ(m.api.cuStreamWaitEvent(to, e, 0), CUDA_SUCCESS);
}

CUresult end(Machine& m, CUstream s) {
  CUgraph graph = nullptr;
  return m.api.cuStreamEndCapture(s, &graph);
}

CUresult end_elsewhere(Machine& m, CUstream s) {
  CUresult code = CUDA_SUCCESS;
  std::thread([&] {
    EXPECT_EQ(m.api.cuCtxSetCurrent(m.context), CUDA_SUCCESS);
    code = end(m, s);
  }).join();
  return code;
}

CUresult alloc(Machine& m, size_t bytes) {
  CUdeviceptr p = 0;
  return m.api.cuMemAlloc(&p, bytes);
}

CUgraph graph_of(Machine& m, const std::function<void(CUstream)>& body) {
  const CUstream s = capturing(m);
  body(s);
  CUgraph graph = nullptr;
  EXPECT_EQ(m.api.cuStreamEndCapture(s, &graph), CUDA_SUCCESS);
  return graph;
}

CUresult update(Machine& m, CUgraph from, CUgraph to) {
  CUgraphExec exec = nullptr;
  CUgraphExecUpdateResultInfo info{};
  EXPECT_EQ(m.api.cuGraphInstantiateWithFlags(&exec, from, 0), CUDA_SUCCESS);
  return m.api.cuGraphExecUpdate(exec, to, &info);
}

CUresult poke_null(Machine& m) {
  EXPECT_EQ(m.launch("poke", 1, 1, 32, 0, nullptr, CUdeviceptr{0}, 0), CUDA_SUCCESS);
  return m.api.cuCtxSynchronize();
}

void add_calls(std::map<std::string, Case>& cases) {
  cases["device ordinal that is not there"] = [](Machine& m) {
    CUdevice d = 0;
    return m.api.cuDeviceGet(&d, 1000);
  };
  cases["call without a context"] = [](Machine& m) {
    EXPECT_EQ(m.api.cuCtxSetCurrent(nullptr), CUDA_SUCCESS);
    return alloc(m, 4);
  };
  cases["allocation of nothing"] = [](Machine& m) { return alloc(m, 0); };
  cases["allocation of a petabyte"] = [](Machine& m) { return alloc(m, size_t{1} << 50); };
  cases["free of no allocation"] = [](Machine& m) { return m.api.cuMemFree(m.room(1024) + 256); };
  cases["image of nonsense"] = [](Machine& m) {
    CUmodule module = nullptr;
    return m.api.cuModuleLoadData(&module, "nothing that a driver could load");
  };
  cases["function that is not in the module"] = [](Machine& m) {
    CUfunction f = nullptr;
    return m.api.cuModuleGetFunction(&f, m.module, "absent");
  };
  cases["launch of 2048 threads in a block"] = [](Machine& m) { return m.launch("spin_block", 1, 1, 2048, 0, nullptr, 1); };
  cases["launch of no blocks"] = [](Machine& m) { return m.launch("spin_block", 0, 1, 32, 0, nullptr, 1); };
  cases["launch with more shared memory than allowed"] = [](Machine& m) { return m.launch("spin_block", 1, 1, 32, 49153, nullptr, 1); };
  cases["shared memory limit over the device's"] = [](Machine& m) {
    return m.api.cuFuncSetAttribute(m.function("gemm"), CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 20);
  };
  cases["pool of no kind"] = [](Machine& m) {
    CUmemPoolProps props{};
    CUmemoryPool pool = nullptr;
    return m.api.cuMemPoolCreate(&pool, &props);
  };
}

void add_streams(std::map<std::string, Case>& cases) {
  cases["elapsed time of an event never recorded"] = [](Machine& m) {
    float ms = 0;
    return m.api.cuEventElapsedTime(&ms, m.event(), m.event());
  };
  cases["elapsed time of an event without timing"] = [](Machine& m) {
    float ms = 0;
    const CUevent a = m.event(CU_EVENT_DISABLE_TIMING), b = m.event(CU_EVENT_DISABLE_TIMING);
    for (CUevent e : {a, b}) EXPECT_EQ(m.api.cuEventRecord(e, nullptr), CUDA_SUCCESS);
    EXPECT_EQ(m.api.cuCtxSynchronize(), CUDA_SUCCESS);
    return m.api.cuEventElapsedTime(&ms, a, b);
  };
  cases["query of a stream that is idle"] = [](Machine& m) { return m.api.cuStreamQuery(m.stream()); };
  cases["wait for an event never recorded"] = [](Machine& m) { return m.api.cuStreamWaitEvent(m.stream(), m.event(), 0); };
}

void add_captures(std::map<std::string, Case>& cases) {
  cases["capture of the default stream"] = [](Machine& m) { return m.api.cuStreamBeginCapture(nullptr, CU_STREAM_CAPTURE_MODE_GLOBAL); };
  cases["capture begun twice"] = [](Machine& m) { return m.api.cuStreamBeginCapture(capturing(m), CU_STREAM_CAPTURE_MODE_GLOBAL); };
  cases["capture ended but not begun"] = [](Machine& m) { return end(m, m.stream()); };
  cases["capture ended in another stream"] = [](Machine& m) {
    const CUstream branch = m.stream();
    fork(m, capturing(m), branch);
    return end(m, branch);
  };
  cases["capture ended in another thread"] = [](Machine& m) { return end_elsewhere(m, capturing(m)); };
  cases["relaxed capture ended in another thread"] = [](Machine& m) { return end_elsewhere(m, capturing(m, CU_STREAM_CAPTURE_MODE_RELAXED)); };
  cases["capture with a branch not joined"] = [](Machine& m) {
    const CUstream s = capturing(m), branch = m.stream();
    fork(m, s, branch);
    EXPECT_EQ(tiny(m, branch), CUDA_SUCCESS);
    return end(m, s);
  };
  cases["allocation while capturing"] = [](Machine& m) {
    capturing(m);
    return alloc(m, 4);
  };
  cases["allocation while capturing relaxed"] = [](Machine& m) {
    capturing(m, CU_STREAM_CAPTURE_MODE_RELAXED);
    return alloc(m, 4);
  };
  cases["end of a capture after a forbidden call"] = [](Machine& m) {
    const CUstream s = capturing(m);
    EXPECT_NE(alloc(m, 4), CUDA_SUCCESS);
    return end(m, s);
  };
  cases["synchronizing a capturing stream"] = [](Machine& m) { return m.api.cuStreamSynchronize(capturing(m)); };
  cases["query of a captured event"] = [](Machine& m) {
    const CUevent e = m.event();
    EXPECT_EQ(m.api.cuEventRecord(e, capturing(m)), CUDA_SUCCESS);
    return m.api.cuEventQuery(e);
  };
  cases["capture that waits for an event from outside"] = [](Machine& m) {
    const CUevent e = m.event();
    EXPECT_EQ(m.api.cuEventRecord(e, m.stream()), CUDA_SUCCESS);
    return m.api.cuStreamWaitEvent(capturing(m), e, 0);
  };
  cases["two captures that would merge"] = [](Machine& m) {
    const CUstream a = capturing(m), b = capturing(m);
    const CUevent e = m.event();
    EXPECT_EQ(m.api.cuEventRecord(e, a), CUDA_SUCCESS);
    return m.api.cuStreamWaitEvent(b, e, 0);
  };
  cases["default stream while a blocking stream captures"] = [](Machine& m) {
    capturing(m, CU_STREAM_CAPTURE_MODE_GLOBAL, 0);
    return tiny(m, nullptr);
  };
}

void add_updates(std::map<std::string, Case>& cases) {
  cases["update with another topology"] = [](Machine& m) {
    auto launches = [&](int n) { return [&m, n](CUstream s) { for (int i = 0; i < n; ++i) EXPECT_EQ(tiny(m, s), CUDA_SUCCESS); }; };
    return update(m, graph_of(m, launches(1)), graph_of(m, launches(2)));
  };
  cases["update with another kind of node"] = [](Machine& m) {
    const CUdeviceptr p = m.room(64);
    return update(m, graph_of(m, [&](CUstream s) { EXPECT_EQ(tiny(m, s), CUDA_SUCCESS); }),
                  graph_of(m, [&](CUstream s) { EXPECT_EQ(m.api.cuMemsetD8Async(p, 0, 64, s), CUDA_SUCCESS); }));
  };
  cases["update with other parameters"] = [](Machine& m) {
    auto rounds = [&](int n) { return [&m, n](CUstream s) { EXPECT_EQ(m.launch("spin_block", 1, 1, 32, 0, s, n), CUDA_SUCCESS); }; };
    return update(m, graph_of(m, rounds(1)), graph_of(m, rounds(2)));
  };
}

void add_faults(std::map<std::string, Case>& cases) {
  cases["kernel that writes to a null pointer"] = poke_null;
  cases["allocation after a kernel failed"] = [](Machine& m) {
    poke_null(m);
    return alloc(m, 4);
  };
  cases["kernel that reads a misaligned float"] = [](Machine& m) {
    EXPECT_EQ(m.launch("misaligned", 1, 1, 32, 0, nullptr, m.room(1024)), CUDA_SUCCESS);
    return m.api.cuCtxSynchronize();
  };
}

const std::map<std::string, Case>& all_cases() {
  static const std::map<std::string, Case> cases = [] {
    std::map<std::string, Case> made;
    add_calls(made);
    add_streams(made);
    add_captures(made);
    add_updates(made);
    add_faults(made);
    return made;
  }();
  return cases;
}

// A driver, and a row of answers.csv.
using Row = std::vector<std::string>;
class Answers : public testing::TestWithParam<std::tuple<std::string, Row>>, protected Machine {};

// Of the simulated driver the checked mode, as a GPU checks too what an x86 does not.
Result<Api> driver(const std::string& name) {
  if (name == "Real") return load_real();
  Result<Api> api = simulated(DeviceModel{});
  if (api) sim::set_checked(true);
  return api;
}

void record(const std::string& driver, const std::string& name, const std::string& want, const std::string& got) {
  if (const char* file = std::getenv("CUTAWAY_ANSWERS")) std::ofstream(file, std::ios::app) << driver << ',' << name << ',' << want << ',' << got << '\n';
}

bool has_gpu(const Api& api) {
  int count = 0;
  return api.cuInit(0) == CUDA_SUCCESS && api.cuDeviceGetCount(&count) == CUDA_SUCCESS && count > 0;
}

TEST_P(Answers, AreAsInTheTable) {
  const auto& [name, row] = GetParam();
  ASSERT_EQ(row.size(), 3u);
  Result<Api> made = driver(name);
  if (!made) GTEST_SKIP() << made.error().str();
  api = *made;
  CUresult code = CUDA_SUCCESS;
  if (row[0] == "call before cuInit") {
    int count = 0;
    code = api.cuDeviceGetCount(&count);
  } else {
    if (!has_gpu(api)) GTEST_SKIP() << "no GPU";
    start();
    ASSERT_FALSE(HasFatalFailure());
    const auto at = all_cases().find(row[0]);
    ASSERT_NE(at, all_cases().end()) << row[0];
    code = at->second(*this);
  }
  record(name, row[0], row[1], error_name(api, code));
  EXPECT_EQ(error_name(api, code), row[1]) << row[0];
}

std::string title(const testing::TestParamInfo<std::tuple<std::string, Row>>& info) {
  std::string out = std::get<0>(info.param);
  bool upper = true;
  for (char c : std::get<1>(info.param).front()) {
    if (std::isalnum(static_cast<unsigned char>(c))) out += upper ? char(std::toupper(c)) : c;
    upper = c == ' ';
  }
  return out;
}
INSTANTIATE_TEST_SUITE_P(Drivers, Answers, testing::Combine(testing::Values("Simulated", "Real"), testing::ValuesIn(read_rows("answers.csv"))), title);

TEST(AnswersTable, HasARowForEachCase) {
  std::map<std::string, int> rows;
  for (const Row& row : read_rows("answers.csv")) ++rows[row[0]];
  EXPECT_EQ(rows.size(), all_cases().size() + 1);
  for (const auto& [name, body] : all_cases()) EXPECT_EQ(rows[name], 1) << name;
}

// What kernels compute, by driver.
class Values : public testing::TestWithParam<std::string>, protected Machine {
 protected:
  void SetUp() override {
    Result<Api> made = driver(GetParam());
    if (!made) GTEST_SKIP() << made.error().str();
    api = *made;
    if (!has_gpu(api)) GTEST_SKIP() << "no GPU";
    start();
  }
};

TEST_P(Values, ConversionsAreAsInTheTable) {
  const std::map<std::string, int> kinds = {{"bf16", 0}, {"half", 1}, {"tf32", 2}};
  for (const Row& row : read_rows("conversions.csv")) {
    const auto in = uint32_t(std::stoul(row[1], nullptr, 16)), want = uint32_t(std::stoul(row[2], nullptr, 16));
    const CUdeviceptr x = upload(std::vector<uint32_t>(32, in));
    ASSERT_EQ(launch("convert", 1, 1, 32, 0, nullptr, x, kinds.at(row[0])), CUDA_SUCCESS);
    const uint32_t got = download<uint32_t>(x, 32)[5];
    char bits[9];
    std::snprintf(bits, sizeof bits, "%08x", got);
    record(GetParam(), row[0] + " of " + row[1], row[2], bits);
    EXPECT_EQ(got, want) << row[0] << " of " << row[1];
  }
}

// Which elements of the matrices the fragments of a lane hold: the PTX manual.
struct Fragments {
  bool tf32;
  int depth() const { return tf32 ? 8 : 16; }
  static int a(int i, int k) { return (7 * i + 3 * k) % 13 - 6; }
  static int b(int k, int j) { return (5 * k + 11 * j) % 17 - 8; }
  static uint32_t bits(int v) {
    const float f = float(v);
    uint32_t u;
    std::memcpy(&u, &f, 4);
    return u;
  }
  static uint32_t pair(int low, int high) { return bits(low) >> 16 | (bits(high) & 0xffff0000u); }
  uint32_t a_register(int r, int lane) const {
    const int i = lane / 4 + 8 * (r & 1), t = lane % 4;
    if (tf32) return bits(a(i, t + 4 * (r >> 1)));
    return pair(a(i, 2 * t + 8 * (r >> 1)), a(i, 2 * t + 1 + 8 * (r >> 1)));
  }
  uint32_t b_register(int r, int lane) const {
    const int j = lane / 4, t = lane % 4;
    if (tf32) return bits(b(t + 4 * r, j));
    return pair(b(2 * t + 8 * r, j), b(2 * t + 1 + 8 * r, j));
  }
};

TEST_P(Values, ProductsOfAWarpAreAsInTheTable) {
  for (const bool tf32 : {false, true}) {
    const Fragments f{tf32};
    std::vector<uint32_t> a(128), b(64);
    for (int r = 0; r < 4; ++r)
      for (int lane = 0; lane < 32; ++lane) a[size_t(r * 32 + lane)] = f.a_register(r, lane);
    for (int r = 0; r < 2; ++r)
      for (int lane = 0; lane < 32; ++lane) b[size_t(r * 32 + lane)] = f.b_register(r, lane);
    const CUdeviceptr da = upload(a), db = upload(b), d = room(512);
    ASSERT_EQ(launch("mma_fragments", 1, 1, 32, 0, nullptr, da, db, d, int(tf32)), CUDA_SUCCESS);
    const std::vector<float> got = download(d, 128);
    for (const Row& row : read_rows("mma.csv")) {
      if ((row[0] == "tf32") != tf32) continue;
      const int i = std::stoi(row[1]);
      std::string wanted, answered;
      for (int j = 0; j < 8; ++j) {
        const int r = 2 * (i / 8) + j % 2, lane = i % 8 * 4 + j / 2;
        const float element = got[size_t(r * 32 + lane)];
        std::ostringstream text;
        text << element;
        wanted += row[size_t(2 + j)] + ' ', answered += text.str() + ' ';
        EXPECT_EQ(element, std::stof(row[size_t(2 + j)])) << row[0] << " row " << i << " column " << j;
      }
      record(GetParam(), "mma " + row[0] + " row " + row[1], wanted, answered);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Drivers, Values, testing::Values("Simulated", "Real"), [](const auto& info) { return info.param; });

} // namespace

} // namespace cutaway::cuda
