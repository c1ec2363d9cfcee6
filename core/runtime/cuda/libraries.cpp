#include "runtime/cuda/libraries.h"

#include <algorithm>
#include <functional>

namespace cutaway::runtime {

namespace {

cuda::LibraryType library_type(DType type) {
  return type == DType::f32 ? cuda::LibraryType::f32 : type == DType::f16 ? cuda::LibraryType::f16 : cuda::LibraryType::bf16;
}

} // namespace

cuda::Product library_product(const codegen::PlainProduct& p) {
  const auto side = [](const codegen::PlainProduct::Side& s) { return cuda::Product::Side{s.row, s.column, s.batch}; };
  return {library_type(p.type), p.batch, p.m, p.n, p.k, side(p.a), side(p.b), side(p.out)};
}

cuda::Convolution library_convolution(const codegen::PlainConvolution& c) {
  const auto side = [](const codegen::PlainConvolution::Side& s) { return cuda::Convolution::Side{s.dims, s.strides}; };
  return {library_type(c.type), side(c.in), side(c.weights), side(c.out), c.stride, c.dilation, c.pad, c.groups};
}

std::array<LibraryOperand, 3> library_operands(const codegen::CudaKernel& k) {
  const auto of = [](DType type, const codegen::PlainOperand& a, const codegen::PlainOperand& b, const codegen::PlainOperand& out) {
    const auto operand = [&](const codegen::PlainOperand& s) { return LibraryOperand{s.buffer, static_cast<uint64_t>(s.offset * dtype_size(type))}; };
    return std::array{operand(a), operand(b), operand(out)};
  };
  return k.product ? of(k.product->type, k.product->a, k.product->b, k.product->out) : of(k.convolution->type, k.convolution->in, k.convolution->weights, k.convolution->out);
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
    auto made = device.allocate(bytes, "measuring a kernel");
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

namespace {

// Both libraries, opened when a kernel first asks for one.
class LibraryShelf {
 public:
  explicit LibraryShelf(std::shared_ptr<const cuda::Device> device) : device_(std::move(device)) {}

  struct Found {
    std::shared_ptr<const cuda::LibraryCall> call;
    std::string library; // "cuDNN 9.13"
  };
  Result<Found> prepare(const codegen::CudaKernel& k) {
    if (k.product) return prepare(blas_, library_product(*k.product));
    return prepare(dnn_, library_convolution(*k.convolution));
  }

 private:
  template <class Library> using Opened = std::optional<Result<std::shared_ptr<const Library>>>;
  template <class Library, class Problem> Result<Found> prepare(Opened<Library>& library, const Problem& problem) {
    if (!library) library.emplace(Library::open(device_));
    if (!*library) return library->error();
    auto call = (**library)->prepare(problem);
    if (!call) return call.error();
    return Found{std::move(*call), (**library)->name()};
  }

  std::shared_ptr<const cuda::Device> device_;
  Opened<cuda::Blas> blas_;
  Opened<cuda::Dnn> dnn_;
};

} // namespace

Status take_libraries(std::span<const codegen::CudaKernel> kernels, const Graph& graph, const std::shared_ptr<const cuda::Device>& device, Libraries libraries, std::vector<DeviceLaunch>& launches, Journal* journal) {
  if (libraries == Libraries::off) return {};
  LibraryShelf shelf(device);
  const auto tell = [&](size_t k, const char* code, bool refused, std::vector<Arg> args) {
    note(journal, [&] { return Event{"libraries", code, refused, {entity(kernels[k].nodes.front())}, std::move(args), {}, {}, nullptr}; });
  };
  for (size_t k = 0; k < kernels.size(); ++k) {
    DeviceLaunch& l = launches[k];
    if (!l.code || (!kernels[k].product && !kernels[k].convolution)) continue;
    if (libraries == Libraries::measured && device->modelled()) {
      tell(k, "not-library.modelled", true, {});
      continue;
    }
    const auto found = shelf.prepare(kernels[k]);
    if (!found) {
      tell(k, "not-library", true, {found.error().what});
      continue;
    }
    l.library = found->call;
    l.operands = library_operands(kernels[k]);
    if (libraries == Libraries::on) {
      tell(k, "library", false, {found->library});
      continue;
    }
    const auto times = time_library(kernels[k], graph, *device, l);
    if (!times && times.error().fault != Fault::limit) return times.error();
    if (times && times->theirs < times->ours) {
      tell(k, "library.faster", false, {found->library, times->theirs, times->ours});
      continue;
    }
    l.library.reset();
    if (times) tell(k, "not-library.slower", true, {found->library, times->theirs, times->ours});
    else tell(k, "not-library", true, {times.error().what});
  }
  return {};
}

} // namespace cutaway::runtime
