#pragma once
#include "ir/eval.h"
#include "ir/graph.h"

#include <atomic>
#include <functional>

namespace cutaway::runtime {

// The eager path: a graph node by node, in its order, each by the reference evaluation; no fusion, no arena, no generated
// code. With options.oracle it is the float64 oracle.
struct ReferenceOptions {
  bool oracle = false;
  const std::atomic<bool>* cancel = nullptr;
  // Called with every value as it is made; may be empty.
  std::function<void(ValueId, const Tensor&)> observe;
};

// `inputs`: one tensor a param, in order. Gives one tensor a graph output. Values are freed after their last reader.
Result<std::vector<Tensor>> run_reference(const Graph& graph, std::span<const Tensor> inputs, const ReferenceOptions& options = {});

} // namespace cutaway::runtime
