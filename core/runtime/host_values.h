#pragma once
#include "codegen/group_kernel.h"

#include <memory>

namespace cutaway::runtime {

// The values of a graph in host memory, and the reference evaluation of kernels on them in place.
class HostValues {
 public:
  HostValues(const Graph& graph, const plan::Storage& storage) : address(graph.value_bound(), nullptr), graph_(graph), storage_(storage) {}
  std::vector<std::byte*> address; // by value id: where the storage of a root starts now; null: inside kernels only

  // The value as a tensor; shares its memory, which `owner` keeps, where it lies in row-major order.
  Tensor view(ValueId v, const std::shared_ptr<std::byte>& owner) const;
  // Node by node; what the kernel writes goes to where its storage lies.
  Status run(const codegen::GroupKernel& kernel, const std::shared_ptr<std::byte>& owner) const;

 private:
  const Graph& graph_;
  const plan::Storage& storage_;
};

} // namespace cutaway::runtime
