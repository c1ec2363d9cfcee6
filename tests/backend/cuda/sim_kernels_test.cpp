#include "backend/cuda/sim_fixture.h"

#include <cmath>
#include <cstring>

namespace cutaway::cuda {

namespace {

uint16_t bf16_bits(float v) {
  uint32_t b;
  std::memcpy(&b, &v, 4);
  return uint16_t((b + 0x7fff + (b >> 16 & 1)) >> 16);
}
float bf16_value(uint16_t v) {
  uint32_t b = uint32_t(v) << 16;
  float f;
  std::memcpy(&f, &b, 4);
  return f;
}

double worst(const std::vector<float>& got, const std::vector<double>& want) {
  double w = 0;
  for (size_t i = 0; i < got.size(); ++i) w = std::fmax(w, std::isfinite(got[i]) ? std::fabs(got[i] - want[i]) : 1e9);
  return w;
}

std::vector<double> product(const std::vector<float>& a, const std::vector<float>& b, size_t n) {
  std::vector<double> c(n * n);
  for (size_t i = 0; i < n; ++i)
    for (size_t l = 0; l < n; ++l)
      for (size_t j = 0; j < n; ++j) c[i * n + j] += double(a[i * n + l]) * b[l * n + j];
  return c;
}

// Every kernel, as it is and checked, against float64.
class SimKernels : public Sim, public testing::WithParamInterface<bool> {
 protected:
  void SetUp() override { begin(GetParam() ? checked : fast); }
  static constexpr int size = 128;
};

TEST_P(SimKernels, VectorsAdd) {
  const int n = 64 * size + 7;
  const auto a = numbers(n, 1), b = numbers(n, 2);
  const CUdeviceptr da = upload(a), db = upload(b), out = room(n * 4);
  ASSERT_EQ(launch("vec_add", (n + 255) / 256, 1, 256, 0, nullptr, da, db, out, n), CUDA_SUCCESS);
  std::vector<double> want(n);
  for (int i = 0; i < n; ++i) want[i] = a[i] + b[i];
  EXPECT_LE(worst(download(out, n), want), 1e-6);
}

TEST_P(SimKernels, HalvesRound) {
  const CUdeviceptr d = upload(std::vector<uint16_t>{0x3c00, 0xc200, 0x0001}); // 1, -3, the least subnormal
  ASSERT_EQ(launch("half_scale", 1, 1, 256, 0, nullptr, d, 2.0f, 3), CUDA_SUCCESS);
  EXPECT_EQ(download<uint16_t>(d, 3), (std::vector<uint16_t>{0x4000, 0xc600, 0x0002}));
}

TEST_P(SimKernels, BlocksReduceThroughSharedMemory) {
  const int n = 64 * size + 7;
  const auto a = numbers(n, 1);
  double sum = 0;
  for (float v : a) sum += v;
  const CUdeviceptr d = upload(a), total = upload(std::vector<float>{0});
  ASSERT_EQ(launch("reduce", 16, 1, 256, 1024, nullptr, d, total, n), CUDA_SUCCESS);
  EXPECT_NEAR(download(total, 1)[0], sum, 1e-2);
}

TEST_P(SimKernels, WarpsReduceByShuffles) {
  const int rows = size + 1, cols = 200;
  const auto a = numbers(rows * cols, 1);
  const CUdeviceptr d = upload(a), out = room(a.size() * 4);
  ASSERT_EQ(launch("softmax", (rows + 3) / 4, 1, 128, 0, nullptr, d, out, rows, cols), CUDA_SUCCESS);
  std::vector<double> want(a.size());
  for (int r = 0; r < rows; ++r) {
    double z = 0;
    for (int i = 0; i < cols; ++i) z += std::exp(double(a[r * cols + i]));
    for (int i = 0; i < cols; ++i) want[r * cols + i] = std::exp(double(a[r * cols + i])) / z;
  }
  EXPECT_LE(worst(download(out, want.size()), want), 1e-6);
}

TEST_P(SimKernels, LanesTalk) {
  const CUdeviceptr o = room(128 * 4), wide = room(64 * 8);
  ASSERT_EQ(launch("lanes", 1, 1, 64, 0, nullptr, o, wide), CUDA_SUCCESS);
  const auto got = download<uint32_t>(o, 128);
  const auto far = download<int64_t>(wide, 64);
  for (unsigned i = 0; i < 64; ++i) {
    EXPECT_EQ(got[i], i % 32 ? i - 1 : i);
    EXPECT_EQ(got[64 + i], 0x49249249u);
    EXPECT_EQ(far[i], int64_t(i ^ 5) << 40);
  }
}

TEST_P(SimKernels, AtomicsCount) {
  const CUdeviceptr count = upload(std::vector<int>{0}), most = upload(std::vector<int>{0}),
                    bits = upload(std::vector<uint32_t>{0}), sum = upload(std::vector<double>{0});
  ASSERT_EQ(launch("atomics", 40, 1, 256, 0, nullptr, count, most, bits, sum), CUDA_SUCCESS);
  EXPECT_EQ(download<int>(count, 1)[0], 40 * 256);
  EXPECT_EQ(download<int>(most, 1)[0], 40 * 256 - 1);
  EXPECT_EQ(download<uint32_t>(bits, 1)[0], 0xffffffffu);
  EXPECT_EQ(download<double>(sum, 1)[0], 20 * 256);
}

TEST_P(SimKernels, TilesMultiply) {
  const auto a = numbers(size * size, 3), b = numbers(size * size, 4);
  const CUdeviceptr da = upload(a), db = upload(b), c = room(a.size() * 4);
  ASSERT_EQ(launch("gemm", size / 64, size / 64, 256, 8192, nullptr, da, db, c, size, size), CUDA_SUCCESS);
  EXPECT_LE(worst(download(c, a.size()), product(a, b, size)), 1e-4);
  ASSERT_EQ(launch("gemm_tf32", size / 8, size / 16, 32, 0, nullptr, da, db, c, size, size), CUDA_SUCCESS);
  EXPECT_LE(worst(download(c, a.size()), product(a, b, size)), 0.02);
}

TEST_P(SimKernels, AsynchronousCopiesFeedTensorCores) {
  const auto a = numbers(size * size, 3), b = numbers(size * size, 4);
  std::vector<uint16_t> ha, hbt(b.size());
  std::vector<float> ra, rb;
  for (float v : a) ha.push_back(bf16_bits(v)), ra.push_back(bf16_value(ha.back()));
  for (float v : b) rb.push_back(bf16_value(bf16_bits(v)));
  for (size_t i = 0; i < size; ++i)
    for (size_t j = 0; j < size; ++j) hbt[j * size + i] = bf16_bits(b[i * size + j]);
  const CUdeviceptr da = upload(ha), db = upload(hbt), c = room(a.size() * 4);
  ASSERT_EQ(launch("gemm_bf16", size / 32, size / 32, 128, 4096, nullptr, da, db, c, size, size), CUDA_SUCCESS);
  EXPECT_LE(worst(download(c, a.size()), product(ra, rb, size)), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Modes, SimKernels, testing::Bool(),
                         [](const auto& info) { return std::string(info.param ? "Checked" : "Fast"); });

// A kernel without collectives runs its threads in a loop: no switches.
using SimSpeed = Sim;
TEST_F(SimSpeed, KernelsWithoutCollectivesNeedNoFibers) {
  const CUdeviceptr d = upload(numbers(4096, 1)), out = room(4096 * 4);
  const auto before = sim::counters();
  ASSERT_EQ(launch("vec_add", 16, 1, 256, 0, nullptr, d, d, out, 4096), CUDA_SUCCESS);
  ASSERT_EQ(api.cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_LE(sim::counters().switches - before.switches, 2 * 16u);
  ASSERT_EQ(launch("reduce", 16, 1, 256, 1024, nullptr, d, out, 4096), CUDA_SUCCESS);
  ASSERT_EQ(api.cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_GT(sim::counters().switches - before.switches, 16 * 256u);
}

} // namespace

} // namespace cutaway::cuda
