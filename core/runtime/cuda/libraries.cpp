#include "runtime/cuda/libraries.h"

#include <algorithm>
#include <functional>

namespace cutaway::runtime {

cuda::Product library_product(const codegen::PlainProduct& p) {
  const auto side = [](const codegen::PlainProduct::Side& s) { return cuda::Product::Side{s.row, s.column, s.batch}; };
  const cuda::Product::Type type = p.type == DType::f32 ? cuda::Product::Type::f32 : p.type == DType::f16 ? cuda::Product::Type::f16 : cuda::Product::Type::bf16;
  return {type, p.batch, p.m, p.n, p.k, side(p.a), side(p.b), side(p.out)};
}

std::array<LibraryOperand, 3> library_operands(const codegen::PlainProduct& p) {
  const auto operand = [&](const codegen::PlainProduct::Side& s) { return LibraryOperand{s.buffer, static_cast<uint64_t>(s.offset * dtype_size(p.type))}; };
  return {operand(p.a), operand(p.b), operand(p.out)};
}

namespace {

// Times launches on a stream of its own.
class Stopwatch {
 public:
  explicit Stopwatch(const cuda::Device& device) : device_(device) {
    keep(device_.api().cuStreamCreate(&stream_, cuda::CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    for (cuda::CUevent& e : ends_) keep(device_.api().cuEventCreate(&e, 0), "cuEventCreate");
  }
  ~Stopwatch() {
    for (const cuda::CUevent e : ends_)
      if (e) device_.api().cuEventDestroy(e);
    if (stream_) device_.api().cuStreamDestroy(stream_);
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  // Microseconds of one launch: the best of several rounds, after one that warms up.
  Result<double> time(const std::function<Status(cuda::CUstream)>& launch) {
    constexpr int rounds = 4, launches = 10;
    double best = 1e300;
    for (int r = 0; r < rounds; ++r) {
      keep(device_.api().cuEventRecord(ends_[0], stream_), "cuEventRecord");
      for (int i = 0; i < launches && fault_; ++i) fault_ = launch(stream_);
      keep(device_.api().cuEventRecord(ends_[1], stream_), "cuEventRecord");
      keep(device_.api().cuStreamSynchronize(stream_), "cuStreamSynchronize");
      float ms = 0;
      keep(device_.api().cuEventElapsedTime(&ms, ends_[0], ends_[1]), "cuEventElapsedTime");
      if (!fault_) return fault_.error();
      if (r > 0) best = std::min(best, 1000.0 * double(ms) / launches);
    }
    return best;
  }

 private:
  void keep(cuda::CUresult code, const char* call) {
    if (fault_) fault_ = device_.check(code, "measure", call);
  }

  const cuda::Device& device_;
  cuda::CUstream stream_ = nullptr;
  cuda::CUevent ends_[2] = {};
  Status fault_;
};

} // namespace

Result<LibraryTimes> time_library(const codegen::CudaKernel& kernel, const Graph& graph, const cuda::Device& device, const DeviceLaunch& l) {
  std::vector<cuda::Memory> memory;
  std::vector<cuda::CUdeviceptr> pointers;
  for (size_t i = 0; i <= kernel.buffers.size(); ++i) {
    const int64_t bytes = i < kernel.buffers.size() ? graph.type(kernel.buffers[i]).bytes() : int64_t{sizeof(int)};
    auto made = device.allocate(bytes, "measuring a product");
    if (!made) return made.error();
    pointers.push_back(made->at());
    memory.push_back(std::move(*made));
    if (Status s = device.check(device.api().cuMemsetD8Async(pointers.back(), 0, static_cast<size_t>(bytes), nullptr), "measure", "cuMemsetD8Async"); !s) return s.error();
  }
  if (Status s = device.check(device.api().cuCtxSynchronize(), "measure", "cuCtxSynchronize"); !s) return s.error();
  std::vector<void*> params;
  for (cuda::CUdeviceptr& p : pointers) params.push_back(&p);
  Stopwatch watch(device);
  const auto ours = watch.time([&](cuda::CUstream stream) { return device.check(device.api().cuLaunchKernel(l.code->function(), l.grid[0], l.grid[1], l.grid[2], l.threads, 1, 1, l.shared, stream, params.data(), nullptr), "measure", "cuLaunchKernel"); });
  if (!ours) return ours.error();
  const auto at = [&](size_t i) { return pointers[l.operands[i].buffer] + l.operands[i].bytes; };
  const auto theirs = watch.time([&](cuda::CUstream stream) { return l.library->launch(at(0), at(1), at(2), stream); });
  if (!theirs) return theirs.error();
  return LibraryTimes{*ours, *theirs};
}

Status take_libraries(std::span<const codegen::CudaKernel> kernels, const Graph& graph, const std::shared_ptr<const cuda::Device>& device, Libraries libraries, std::vector<DeviceLaunch>& launches, Journal* journal) {
  if (libraries == Libraries::off) return {};
  std::shared_ptr<const cuda::Blas> blas;
  const auto tell = [&](size_t k, const char* code, bool refused, std::vector<Arg> args) {
    note(journal, [&] { return Event{"libraries", code, refused, {entity(kernels[k].nodes.front())}, std::move(args), {}, {}, nullptr}; });
  };
  for (size_t k = 0; k < kernels.size(); ++k) {
    DeviceLaunch& l = launches[k];
    if (!l.code || !kernels[k].product) continue;
    if (libraries == Libraries::measured && device->modelled()) {
      tell(k, "not-library.modelled", true, {});
      continue;
    }
    if (!blas) {
      auto opened = cuda::Blas::open(device);
      if (!opened) {
        tell(k, "not-library", true, {opened.error().what});
        return {};
      }
      blas = *opened;
    }
    const codegen::PlainProduct& p = *kernels[k].product;
    auto made = blas->prepare(library_product(p));
    if (!made) {
      tell(k, "not-library", true, {made.error().what});
      continue;
    }
    l.library = *made;
    l.operands = library_operands(p);
    if (libraries == Libraries::on) {
      tell(k, "library", false, {blas->name()});
      continue;
    }
    const auto times = time_library(kernels[k], graph, *device, l);
    if (!times && times.error().fault != Fault::limit) return times.error();
    if (times && times->theirs < times->ours) {
      tell(k, "library.faster", false, {blas->name(), times->theirs, times->ours});
      continue;
    }
    l.library.reset();
    if (times) tell(k, "not-library.slower", true, {blas->name(), times->theirs, times->ours});
    else tell(k, "not-library", true, {times.error().what});
  }
  return {};
}

} // namespace cutaway::runtime
