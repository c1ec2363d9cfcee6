#include "driver/cuda_support.h"

#include "backend/cuda/compile.h"
#include "runtime/reference.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace cutaway::driver {
namespace {

// Calls f(i, position) for the elements of a value in row-major order.
template <class F> void each_element(const std::vector<int64_t>& dims, const std::vector<int64_t>& strides, F&& f) {
  const int64_t count = count_of(dims).value_or(0);
  for (int64_t i = 0; i < count; ++i) {
    int64_t at = 0, rest = i;
    for (size_t d = dims.size(); d-- > 0; rest /= dims[d]) at += rest % dims[d] * strides[d];
    f(i, at);
  }
}

std::vector<std::byte> memory_of(const Tensor& t, const std::vector<int64_t>& strides) {
  const Tensor full = t.aligned();
  const auto size = static_cast<size_t>(dtype_size(t.dtype()));
  std::vector<std::byte> out(static_cast<size_t>(t.count()) * size);
  each_element(t.dims(), strides, [&](int64_t i, int64_t at) { std::memcpy(out.data() + static_cast<size_t>(at) * size, full.data() + static_cast<size_t>(i) * size, size); });
  return out;
}

Tensor tensor_of(const std::vector<std::byte>& memory, const Type& type, const std::vector<int64_t>& strides) {
  Tensor out(type.dtype, static_dims(type.shape));
  const auto size = static_cast<size_t>(dtype_size(type.dtype));
  each_element(out.dims(), strides, [&](int64_t i, int64_t at) { std::memcpy(out.mutable_data() + static_cast<size_t>(i) * size, memory.data() + static_cast<size_t>(at) * size, size); });
  return out;
}

// Device memory that is given back.
struct Block {
  const cuda::Api& api;
  cuda::CUdeviceptr at = 0;
  Block(const cuda::Api& a, size_t bytes) : api(a) {
    if (api.cuMemAlloc(&at, std::max<size_t>(bytes, 16)) != cuda::CUDA_SUCCESS) at = 0;
  }
  Block(Block&& other) noexcept : api(other.api), at(std::exchange(other.at, 0)) {}
  Block& operator=(Block&&) = delete;
  ~Block() {
    if (at) (void)api.cuMemFree(at);
  }
};

struct Module {
  const cuda::Api& api;
  cuda::CUmodule handle = nullptr;
  ~Module() {
    if (handle) (void)api.cuModuleUnload(handle);
  }
};

} // namespace

std::vector<codegen::CudaKernel> cuda_kernels(const CompiledSegment& segment, const plan::Storage& storage, bool strict) {
  std::vector<codegen::CudaKernel> out;
  for (const codegen::GroupKernel& k : segment.executable->kernels()) out.push_back(codegen::make_cuda_kernel(segment.graph, storage, k.group, k.nodes, "kernel", {strict}));
  return out;
}

Result<std::vector<Tensor>> all_values(const Graph& g, std::span<const Tensor> inputs) {
  std::vector<Tensor> values(g.value_bound());
  runtime::ReferenceOptions options;
  options.observe = [&](ValueId v, const Tensor& t) { values[v.v] = t; };
  if (auto ran = runtime::run_reference(g, inputs, options); !ran) return ran.error();
  for (NodeId id : g.order()) {
    const Node& n = g.node(id);
    if (n.op == Op::constant) values[n.outputs[0].v] = n.attrs.tensor("data");
    if (n.op == Op::param) values[n.outputs[0].v] = inputs[static_cast<size_t>(n.attrs.i("index"))];
  }
  return values;
}

Result<CudaDevice> CudaDevice::open(const cuda::Api& api) {
  CudaDevice device(api);
  cuda::CUcontext context = nullptr;
  int major = 0, minor = 0;
  for (const cuda::CUresult r : {api.cuInit(0), api.cuDevicePrimaryCtxRetain(&context, 0), api.cuCtxSetCurrent(context), api.cuDeviceGetAttribute(&major, cuda::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0),
                                 api.cuDeviceGetAttribute(&minor, cuda::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0)})
    if (r != cuda::CUDA_SUCCESS) return unsupported("device", cuda::error_name(api, r));
  device.capability_ = major * 10 + minor;
  return device;
}

Result<CudaDevice::Outcome> CudaDevice::run(const codegen::CudaKernel& k, const Graph& g, const plan::Storage& storage, std::span<const Tensor> values, bool strict) const {
  const auto failed = [&](const char* call, cuda::CUresult r) { return unsupported(k.name, std::string(call) + ": " + cuda::error_name(api_, r)); };
  auto cubin = cuda::compile(api_, k.text, {capability_, strict});
  if (!cubin) return cubin.error();
  Module module{api_};
  cuda::CUfunction function = nullptr;
  if (auto r = api_.cuModuleLoadData(&module.handle, cubin->image.data()); r != cuda::CUDA_SUCCESS) return failed("cuModuleLoadData", r);
  if (auto r = api_.cuModuleGetFunction(&function, module.handle, k.symbol.c_str()); r != cuda::CUDA_SUCCESS) return failed("cuModuleGetFunction", r);
  std::vector<std::vector<std::byte>> memory;
  std::vector<Block> blocks;
  for (ValueId root : k.buffers) {
    const bool read = std::find(k.reads.begin(), k.reads.end(), root) != k.reads.end();
    memory.push_back(read ? memory_of(values[root.v], storage.access(root).strides) : std::vector<std::byte>(static_cast<size_t>(g.type(root).bytes()), std::byte{0xa5}));
    blocks.emplace_back(api_, memory.back().size());
    if (auto r = api_.cuMemcpyHtoD(blocks.back().at, memory.back().data(), memory.back().size()); !memory.back().empty() && r != cuda::CUDA_SUCCESS) return failed("cuMemcpyHtoD", r);
  }
  int flag = 0;
  blocks.emplace_back(api_, sizeof flag);
  if (auto r = api_.cuMemcpyHtoD(blocks.back().at, &flag, sizeof flag); r != cuda::CUDA_SUCCESS) return failed("cuMemcpyHtoD", r);
  std::vector<void*> parameters;
  for (size_t i = 0; i < k.buffers.size() + k.checks_indices; ++i) parameters.push_back(&blocks[i].at);
  if (auto r = api_.cuLaunchKernel(function, static_cast<unsigned>(k.grid[0]), static_cast<unsigned>(k.grid[1]), static_cast<unsigned>(k.grid[2]), static_cast<unsigned>(k.threads), 1, 1,
                                   static_cast<unsigned>(k.shared_bytes), nullptr, parameters.data(), nullptr);
      r != cuda::CUDA_SUCCESS)
    return failed("cuLaunchKernel", r);
  if (auto r = api_.cuCtxSynchronize(); r != cuda::CUDA_SUCCESS) return failed("cuCtxSynchronize", r);
  Outcome out;
  if (auto r = api_.cuMemcpyDtoH(&flag, blocks.back().at, sizeof flag); r != cuda::CUDA_SUCCESS) return failed("cuMemcpyDtoH", r);
  out.bad_index = flag != 0;
  for (ValueId root : k.writes) {
    const auto i = static_cast<size_t>(std::find(k.buffers.begin(), k.buffers.end(), root) - k.buffers.begin());
    if (auto r = api_.cuMemcpyDtoH(memory[i].data(), blocks[i].at, memory[i].size()); r != cuda::CUDA_SUCCESS) return failed("cuMemcpyDtoH", r);
    out.written.push_back(tensor_of(memory[i], g.type(root), storage.access(root).strides));
  }
  return out;
}

std::string difference(const Tensor& got, const Tensor& want, double bound) {
  const Tensor right = want.aligned();
  const auto size = static_cast<size_t>(dtype_size(want.dtype()));
  for (int64_t i = 0; i < want.count(); ++i) {
    const auto at = static_cast<size_t>(i) * size;
    if (std::memcmp(got.data() + at, right.data() + at, size) == 0) continue;
    const double x = got.as_double(i), y = right.as_double(i);
    if (std::isnan(x) && std::isnan(y)) continue;
    if (bound > 0 && std::abs(x - y) <= bound * std::max(1.0, std::abs(y))) continue;
    return fmt::format("element {} of {}: {} instead of {}", i, want.count(), x, y);
  }
  return {};
}

} // namespace cutaway::driver
