#pragma once
#include "codegen/nest.h"

namespace cutaway::codegen {

// A contraction and the elementwise nodes of its shape behind it, as the printers of all devices see it.
bool is_contraction_group(const NestPrinter& p, const std::vector<NodeId>& nodes);

// False for types that no product is printed for.
bool elem_of(DType t, Elem& e);
// The type that sums are kept in.
Elem accumulator(DType t);
bool is_constant(const NestPrinter& p, ValueId v);

// The product, or the convolution, of the group's first node; nothing where it cannot be printed. Buffers are not set.
std::optional<MatmulSpec> matmul_of(const NestPrinter& p, const Node& n);
std::optional<ConvSpec> conv_of(const NestPrinter& p, const Node& n);

// The elementwise nodes behind the contraction, printed for one element of the result.
Epilogue epilogue_of(NestPrinter& p, const std::vector<NodeId>& nodes);

} // namespace cutaway::codegen
