#pragma once
#include "base/result.h"
#include "ir/attr.h"
#include "ir/op.h"

#include <span>

namespace cutaway {

// The reference meaning of every op, in strict mode: one order of reduction, rounding after every op, the embedded math
// library. Folding, the eager path and the oracle are this code.
struct EvalOptions {
  // Oracle: every float tensor is f64 and no op rounds to less; inputs and outputs that are declared f32, f16 or bf16
  // come and go as f64 tensors.
  bool oracle = false;
};

// Evaluates one node. `inputs` may be views, unaligned or splats; `outputs` are the static output types as infer gave them
// (under oracle their float dtypes count as f64). A data-dependent fault (index out of range) is bad-input.
// param, dim_of of unknown shapes and call_fallback are not evaluated here.
Result<std::vector<Tensor>> eval(Op op, const Attrs& attrs, std::span<const Tensor> inputs, std::span<const Type> outputs,
                                 const EvalOptions& options = {});

// The tensor in the dtype in which the oracle carries it: floats as f64, the rest unchanged.
Tensor to_oracle(const Tensor& t);

} // namespace cutaway
