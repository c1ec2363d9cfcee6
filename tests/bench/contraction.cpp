// GFLOP/s of generated contraction kernels, one thread, beside the peak measured in the same run. Rounds over all
// shapes are interleaved, and each shape reports its best and its median, since the machine may be shared. usage:
// bench_contraction [rounds] [strict] [only=SUBSTRING] [rows=R vectors=V depth=D]
#include "codegen/contraction_support.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace cutaway::codegen {
namespace {

using testing::KernelFunction;
using testing::Library;

const Simd simd = __builtin_cpu_supports("avx512f") ? Simd{64, 32} : Simd{32, 16};

struct Buffer {
  explicit Buffer(int64_t bytes) : data(std::aligned_alloc(64, static_cast<size_t>((bytes + 127) / 64 * 64))) {}
  void* data;
};

struct Bench {
  std::string name;
  Printed printed;
  std::vector<Buffer> buffers; // input, packed weights, output, B as it is, bias
  KernelFunction kernel = nullptr;
  std::vector<double> seconds;
};

Tile tile;
std::string only;
std::vector<Bench> benches;

// Bias and activation, as behind most products.
Epilogue bias_and_activation(int64_t columns, bool linear_rows, std::vector<int64_t> dims) {
  return Epilogue(
      [=](const std::string& acc, const std::vector<std::string>& at) {
        std::string row = "0";
        for (size_t i = 0; i + 1 < at.size(); ++i)
          row = fmt::format("({}) * {} + {}", row, linear_rows ? dims[i] : 0, at[i]);
        return fmt::format("const float v = {} + e_bias[{}];\ne_out[({}) * {} + {}] = v > 0 ? v : 0;\n", acc, at.back(),
                           row, columns, at.back());
      },
      "float* const e_out = (float*)buffers[2];\nconst float* const e_bias = (const float*)buffers[4];\n");
}

Buffer random_floats(int64_t count) {
  Buffer b(count * 4);
  auto* p = static_cast<float*>(b.data);
  for (int64_t i = 0; i < count; ++i) p[i] = static_cast<float>((i * 7919) % 2001) * 1e-3f - 1;
  return b;
}

void keep(Bench bench, int64_t in, int64_t weights, int64_t out, int64_t columns,
          const std::function<void(void*, void*)>& pack) {
  bench.buffers.push_back(random_floats(in));
  bench.buffers.emplace_back(bench.printed.packed_bytes);
  bench.buffers.push_back(random_floats(out));
  bench.buffers.push_back(random_floats(weights));
  bench.buffers.push_back(random_floats(columns));
  if (pack) pack(bench.buffers[3].data, bench.buffers[1].data);
  benches.push_back(std::move(bench));
}

void matmul(const std::string& note, int64_t m, int64_t n, int64_t k, bool packed = true, bool transposed = false,
            int64_t heads = 1) {
  Bench b;
  b.name = fmt::format("{} {}x{}x{}", note, m, n, k);
  if (b.name.find(only) == std::string::npos) return;
  // Heads lie side by side in a row, as attention has them.
  MatmulSpec s{{heads}, m, n, k, {0, Elem::f32, {k}, heads * k, 1, 0}, {packed ? 1 : 3, Elem::f32, {0}, n, 1, 0},
               packed};
  if (transposed)
    s.b = {3, Elem::f32, {k}, 1, heads * k, 0};
  else if (!packed)
    s.b = {3, Elem::f32, {n}, heads * n, 1, 0};
  s.tile = tile;
  b.printed = print_matmul(s, fmt::format("k{}", benches.size()), bias_and_activation(n, true, {heads, m}), simd, 2);
  keep(std::move(b), heads * m * k, heads * n * k, heads * m * n, n,
       packed ? [s](void* from, void* to) { pack_matmul(s, from, to, simd); } : std::function<void(void*, void*)>());
}

void conv(const std::string& note, int64_t size, int64_t kernel, int64_t stride, int64_t channels, int64_t outputs,
          int64_t groups = 1, bool channels_first = false) {
  Bench b;
  b.name = fmt::format("{} {}x{} k{} s{} {}->{}", note, size, size, kernel, stride, channels, outputs);
  if (b.name.find(only) == std::string::npos) return;
  const int64_t out = (size - 1) / stride + 1, taps = kernel * kernel;
  ConvSpec s;
  s.in_size = {size, size}, s.out_size = {out, out}, s.kernel = {kernel, kernel}, s.stride = {stride, stride};
  s.dilation = {1, 1}, s.pad_begin = {(kernel - 1) / 2, (kernel - 1) / 2};
  s.groups = groups, s.in_channels = channels, s.out_channels = outputs;
  s.input = {0, Elem::f32, size * size * channels, {size * channels, channels}, 1, 0};
  if (channels_first) s.input.spatial_strides = {size, 1}, s.input.channel_stride = size * size;
  s.weights = 1;
  s.tile = tile;
  b.printed =
      print_conv(s, fmt::format("k{}", benches.size()), bias_and_activation(outputs, true, {1, out, out}), simd, 2);
  keep(std::move(b), size * size * channels, outputs * channels / groups * taps, out * out * outputs, outputs,
       [s](void* from, void* to) { pack_conv(s, from, to, simd); });
}

void list_shapes() {
  matmul("square", 512, 512, 512);
  matmul("encoder", 128, 768, 768);
  matmul("encoder", 128, 3072, 768);
  matmul("encoder", 128, 768, 3072);
  matmul("small", 128, 384, 384);
  matmul("large", 1024, 1024, 1024);
  matmul("vector", 1, 1000, 2048);
  matmul("few columns", 512, 4, 512);
  matmul("scores", 128, 128, 64, false, true, 12);
  matmul("values", 128, 64, 128, false, false, 12);
  matmul("free", 512, 512, 512, false);
  conv("resnet", 56, 3, 1, 64, 64);
  conv("resnet", 28, 3, 1, 128, 128);
  conv("resnet", 14, 3, 1, 256, 256);
  conv("resnet", 7, 3, 1, 512, 512);
  conv("resnet", 56, 1, 1, 64, 256);
  conv("resnet", 56, 1, 1, 256, 64);
  conv("resnet", 56, 3, 2, 128, 128);
  conv("resnet", 56, 1, 2, 256, 512);
  conv("stem", 224, 7, 2, 3, 64);
  conv("stem nchw", 224, 7, 2, 3, 64, 1, true);
  conv("mobilenet stem", 224, 3, 2, 3, 32);
  conv("mobilenet", 112, 1, 1, 16, 96);
  conv("mobilenet", 14, 1, 1, 384, 64);
  conv("depthwise", 112, 3, 1, 32, 32, 32);
  conv("depthwise", 112, 3, 2, 96, 96, 96);
  conv("depthwise", 56, 3, 1, 144, 144, 144);
  conv("depthwise", 28, 3, 1, 192, 192, 192);
  conv("depthwise", 14, 3, 1, 384, 384, 384);
  conv("depthwise", 7, 3, 1, 960, 960, 960);
  conv("depthwise", 14, 5, 1, 480, 480, 480);
}

// Independent multiply-adds that never leave the registers.
const char* peak_text = R"(
typedef float peak_v __attribute__((vector_size(64)));
void peak(void* const* buffers, long begin, long end, void* scratch) {
  peak_v s[12], x = *(peak_v*)scratch, y = x;
  for (int i = 0; i < 12; i++) s[i] = x + (float)i;
  for (long k = begin; k < end; k++) for (int i = 0; i < 12; i++) s[i] = s[i] * x + y;
  for (int i = 1; i < 12; i++) s[0] += s[i];
  *(peak_v*)scratch = s[0];
}
)";

double timed(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void run(int rounds, bool strict) {
  std::string text = testing::prelude();
  for (const Bench& b : benches) text += b.printed.text;
  double compile = 0;
  std::unique_ptr<Library> library;
  compile = timed([&] {
    library = std::make_unique<Library>(std::vector<std::string>{text, peak_text},
                                        std::string("-O3 -march=native -ffp-contract=") + (strict ? "off" : "fast"));
  });
  if (!library->error.empty()) {
    fmt::print("{}\n", library->error);
    return;
  }
  int64_t scratch_bytes = 64;
  for (Bench& b : benches) {
    b.kernel = library->find("k" + std::to_string(&b - benches.data()));
    scratch_bytes = std::max(scratch_bytes, b.printed.scratch_bytes);
  }
  const Buffer scratch = random_floats(scratch_bytes / 4);
  const KernelFunction peak = library->find("peak");
  double best_peak = 0;
  for (int r = 0; r < rounds; ++r) {
    best_peak = std::max(best_peak, 12 * 32 * 100000 / timed([&] { peak(nullptr, 0, 100000, scratch.data); }) * 1e-9);
    for (Bench& b : benches) {
      std::vector<void*> pointers;
      for (const Buffer& x : b.buffers) pointers.push_back(x.data);
      for (int i = 0; i < 3; ++i)
        b.seconds.push_back(timed([&] { b.kernel(pointers.data(), 0, b.printed.units, scratch.data); }));
    }
  }
  fmt::print("compiled {} kernels in {:.2f} s; peak {:.1f} GFLOP/s\n", benches.size(), compile, best_peak);
  for (Bench& b : benches) {
    std::sort(b.seconds.begin(), b.seconds.end());
    const double flops = b.printed.flops * 1e-9, median = b.seconds[b.seconds.size() / 2];
    fmt::print("{:34} best {:6.1f}  median {:6.1f} GFLOP/s  {:8.1f} us  units {:3}  scratch {}\n", b.name,
               flops / b.seconds[0], flops / median, b.seconds[0] * 1e6, b.printed.units, b.printed.scratch_bytes);
    if (std::getenv("CUTAWAY_BENCH_NEST")) fmt::print("{}", b.printed.loop_nest);
  }
}

} // namespace
} // namespace cutaway::codegen

int main(int argc, char** argv) {
  using namespace cutaway::codegen;
  int rounds = 20;
  bool strict = false;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    const auto value = [&](const char* key) { return arg.rfind(key, 0) == 0 ? arg.substr(std::strlen(key)) : ""; };
    if (arg == "strict")
      strict = true;
    else if (!value("only=").empty())
      only = value("only=");
    else if (!value("rows=").empty())
      tile.rows = std::atoi(value("rows=").c_str());
    else if (!value("vectors=").empty())
      tile.vectors = std::atoi(value("vectors=").c_str());
    else if (!value("depth=").empty())
      tile.depth = std::atoi(value("depth=").c_str());
    else
      rounds = std::atoi(arg.c_str());
  }
  list_shapes();
  run(rounds, strict);
}
