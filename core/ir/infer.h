#pragma once
#include "base/result.h"
#include "ir/attr.h"
#include "ir/op.h"

#include <span>

namespace cutaway {

// Output types of an op from its input types and attributes. Works on symbolic dims where the rule allows; two dims that
// are not known to be equal are a diagnostic (invalid-model) that names both. Overflowing products are `limit`.
Result<std::vector<Type>> infer(Op op, std::span<const Type> inputs, const Attrs& attrs);

// The NumPy broadcast of two shapes, or a diagnostic.
Result<Shape> broadcast_shapes(const Shape& a, const Shape& b);

} // namespace cutaway
