#include "backend/cuda/sim_fixture.h"

#include "backend/cuda/api_calls.h"

#include <thread>

namespace cutaway::cuda {

namespace {

class SimFaults : public Sim {
 protected:
  // After a launch the device must fail so, and say so.
  void expect_fault(CUresult want, const std::string& words) {
    EXPECT_EQ(api.cuCtxSynchronize(), want) << words;
    const auto reports = sim::take_reports();
    ASSERT_EQ(reports.size(), 1u) << words;
    EXPECT_NE(reports[0].find(words), std::string::npos) << reports[0];
    EXPECT_EQ(api.cuCtxSynchronize(), want) << "it lasts";
    sim::take_reports();
  }
  CUresult poke(size_t bytes, int at) { return launch("poke", 1, 1, 32, 0, nullptr, room(bytes), at); }
};

TEST_F(SimFaults, PastAPage) {
  ASSERT_EQ(poke(1024, 300), CUDA_SUCCESS);
  expect_fault(CUDA_ERROR_ILLEGAL_ADDRESS, "past the end");
}
TEST_F(SimFaults, JustPastTheEndIsFoundAfterTheLaunch) {
  ASSERT_EQ(poke(1000, 250), CUDA_SUCCESS);
  expect_fault(CUDA_ERROR_ILLEGAL_ADDRESS, "write outside");
}
TEST_F(SimFaults, CheckedCodeFindsItAtOnce) {
  begin(checked);
  ASSERT_EQ(poke(1000, 250), CUDA_SUCCESS);
  expect_fault(CUDA_ERROR_ILLEGAL_ADDRESS, "illegal write: 4 bytes past the end of the 1000-byte allocation");
}
TEST_F(SimFaults, BeforeTheStart) {
  begin(checked);
  ASSERT_EQ(poke(1024, -1), CUDA_SUCCESS);
  expect_fault(CUDA_ERROR_ILLEGAL_ADDRESS, "before the start");
}
TEST_F(SimFaults, UseAfterFree) {
  for (const std::string& kernels : {fast, checked}) {
    begin(kernels);
    const CUdeviceptr p = room(1024);
    ASSERT_EQ(api.cuMemFree(p), CUDA_SUCCESS);
    ASSERT_EQ(launch("poke", 1, 1, 32, 0, nullptr, p, 0), CUDA_SUCCESS);
    expect_fault(CUDA_ERROR_ILLEGAL_ADDRESS, "use after free");
  }
}
TEST_F(SimFaults, NullPointer) {
  ASSERT_EQ(launch("poke", 1, 1, 32, 0, nullptr, CUdeviceptr{0}, 0), CUDA_SUCCESS);
  expect_fault(CUDA_ERROR_ILLEGAL_ADDRESS, "not device memory");
}
TEST_F(SimFaults, UndeclaredWrite) {
  begin(checked);
  const CUdeviceptr p = room(1024);
  sim::note_next({"half a buffer", {{p, p + 512, true}}});
  ASSERT_EQ(launch("poke", 1, 1, 32, 0, nullptr, p, 200), CUDA_SUCCESS);
  expect_fault(CUDA_ERROR_LAUNCH_FAILED, "half a buffer (poke): undeclared write at offset 800");
}
TEST_F(SimFaults, WriteToWhatIsDeclaredRead) {
  begin(checked);
  const CUdeviceptr p = room(1024);
  sim::note_next({"reader", {{p, p + 1024, false}}});
  ASSERT_EQ(launch("poke", 1, 1, 32, 0, nullptr, p, 1), CUDA_SUCCESS);
  expect_fault(CUDA_ERROR_LAUNCH_FAILED, "undeclared write");
}
TEST_F(SimFaults, Misaligned) {
  begin(checked);
  ASSERT_EQ(launch("misaligned", 1, 1, 32, 0, nullptr, room(1024)), CUDA_SUCCESS);
  expect_fault(CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned 4-byte access");
}
TEST_F(SimFaults, DivergentBarrier) {
  ASSERT_EQ(launch("bad_barrier", 1, 1, 256, 0, nullptr, room(1024)), CUDA_SUCCESS);
  expect_fault(CUDA_ERROR_LAUNCH_FAILED, "255 threads wait at __syncthreads");
}
TEST_F(SimFaults, DivergentWarp) {
  ASSERT_EQ(launch("bad_shuffle", 1, 1, 32, 0, nullptr, room(128)), CUDA_SUCCESS);
  expect_fault(CUDA_ERROR_LAUNCH_FAILED, "different collectives");
}
TEST_F(SimFaults, TooLittleSharedMemory) {
  for (const std::string& kernels : {fast, checked}) {
    begin(kernels);
    ASSERT_EQ(launch("gemm", 1, 1, 256, 4096, nullptr, room(16384), room(16384), room(16384), 64, 64), CUDA_SUCCESS);
    expect_fault(CUDA_ERROR_LAUNCH_FAILED, "shared memory");
  }
}

// In a loop of its own, in one of barriers, and over the threads of several workers.
TEST_F(SimFaults, TheWatchdogEndsKernelsThatNeverDo) {
  for (const std::string& kernels : {fast, checked})
    for (const char* name : {"endless", "endless_barrier"}) {
      begin(kernels);
      sim::set_watchdog_ms(50);
      const CUdeviceptr p = upload(std::vector<int>{0});
      ASSERT_EQ(launch(name, 300, 1, 32, 0, nullptr, p), CUDA_SUCCESS);
      expect_fault(CUDA_ERROR_LAUNCH_TIMEOUT, "watchdog");
    }
}
// The limit is a kernel's, not that of all together: these are short beside it, and apart enough to pass it in sum.
TEST_F(SimFaults, TheWatchdogCountsEachKernelAnew) {
  sim::set_watchdog_ms(1000);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(launch("spin_block", 1, 1, 256, 0, nullptr, 50), CUDA_SUCCESS);
    ASSERT_EQ(api.cuCtxSynchronize(), CUDA_SUCCESS);
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
  }
}

TEST_F(SimFaults, StaleHandlesNameNothing) {
  const CUstream s = stream();
  const CUevent e = event();
  ASSERT_EQ(api.cuStreamDestroy(s), CUDA_SUCCESS);
  ASSERT_EQ(api.cuEventDestroy(e), CUDA_SUCCESS);
  EXPECT_EQ(api.cuStreamSynchronize(s), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(api.cuStreamDestroy(s), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(api.cuEventQuery(e), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(api.cuStreamWaitEvent(nullptr, reinterpret_cast<CUevent>(stream()), 0), CUDA_ERROR_INVALID_HANDLE);
  const CUfunction f = function("poke");
  ASSERT_EQ(api.cuModuleUnload(module), CUDA_SUCCESS);
  int value = 0;
  EXPECT_EQ(api.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, f), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(SimFaults, WhatIsLeftIsReportedWhenTheContextGoes) {
  room(100);
  stream();
  void* host = nullptr;
  ASSERT_EQ(api.cuMemHostAlloc(&host, 10, 0), CUDA_SUCCESS);
  EXPECT_EQ(sim::live().size(), 4u); // and the module
  ASSERT_EQ(api.cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
  const auto reports = sim::take_reports();
  ASSERT_EQ(reports.size(), 4u);
  EXPECT_EQ(reports[0], "leak: 100 bytes of device memory when the context was released");
  EXPECT_TRUE(sim::live().empty());
  CUdeviceptr p = 0;
  EXPECT_EQ(api.cuMemAlloc(&p, 4), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(SimFaults, AThreadNeedsTheContextToBeCurrent) {
  CUresult code = CUDA_SUCCESS;
  std::thread([&] { code = api.cuCtxSynchronize(); }).join();
  EXPECT_EQ(code, CUDA_ERROR_INVALID_CONTEXT);
}

// Every call can be made to fail, once, and the driver goes on.
TEST_F(SimFaults, EveryCallFailsWhenItIsTold) {
  int made = 0;
  auto drill = [&](const char* name, const char*, auto& field) {
    using F = std::remove_reference_t<decltype(field)>;
    auto call = [&]<class R, class... A>(R (*f)(A...)) { return f(A{}...); };
    if constexpr (!std::is_same_v<decltype(call(F{})), const char*>) {
      sim::fail_nth(name, 999);
      EXPECT_EQ(int(call(field)), 999) << name;
      ++made;
    }
  };
  each_driver_call(api, drill);
  each_nvrtc_call(api, drill);
  EXPECT_GT(made, 65);
  ASSERT_EQ(api.cuCtxSynchronize(), CUDA_SUCCESS);
}
TEST_F(SimFaults, TheNthCallFails) {
  CUdeviceptr p = 0;
  sim::fail_nth("cuMemAlloc", CUDA_ERROR_OUT_OF_MEMORY, 2);
  EXPECT_EQ(api.cuMemAlloc(&p, 100), CUDA_SUCCESS);
  EXPECT_EQ(api.cuMemAlloc(&p, 100), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(api.cuMemAlloc(&p, 100), CUDA_SUCCESS);
}
TEST_F(SimFaults, ALostDeviceStaysLost) {
  sim::fail_nth("cuLaunchKernel", CUDA_ERROR_DEVICE_UNAVAILABLE, 1, true);
  EXPECT_EQ(poke(1024, 0), CUDA_ERROR_DEVICE_UNAVAILABLE);
  size_t free = 0, total = 0;
  EXPECT_EQ(api.cuMemGetInfo(&free, &total), CUDA_ERROR_DEVICE_UNAVAILABLE);
}

TEST_F(SimFaults, OnlyItsOwnImagesLoad) {
  CUmodule m = nullptr;
  EXPECT_EQ(api.cuModuleLoadData(&m, "\177ELF and so on"), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(sim::take_reports().size(), 1u);
  CUfunction f = nullptr;
  EXPECT_EQ(api.cuModuleGetFunction(&f, module, "absent"), CUDA_ERROR_NOT_FOUND);
}

TEST_F(SimFaults, BadTextIsRefusedWithItsLine) {
  Result<Cubin> cubin = compile(api, "\nCW_KERNEL(k, 32)(float* o) { o[0] = nothing; }", {});
  ASSERT_FALSE(cubin.ok());
  EXPECT_NE(cubin.error().what.find("kernel.cu:2:"), std::string::npos) << cubin.error().str();
}

TEST_F(SimFaults, AnOldDriverIsUnusable) {
  DeviceModel old;
  old.driver_version = 11040;
  Result<Api> made = simulated(old);
  ASSERT_TRUE(made.ok());
  EXPECT_NE(check_usable(*made).error().what.find("too old"), std::string::npos);
  old.driver_version = 12000;
  old.nvrtc_major = 13;
  made = simulated(old);
  EXPECT_NE(check_usable(*made).error().what.find("newer than the driver"), std::string::npos);
  made->nvrtcCompileProgram = nullptr;
  EXPECT_NE(check_usable(*made).error().what.find("nvrtcCompileProgram"), std::string::npos);
  made = simulated(DeviceModel{});
  EXPECT_TRUE(check_usable(*made).ok());
}

} // namespace

} // namespace cutaway::cuda
