#pragma once
#include "codegen/contraction/kernel.h"

namespace cutaway::codegen {

// Batches over which B does not vary become rows of one product; the others stay products of their own.
Extent extent_of(const MatmulSpec& spec);

} // namespace cutaway::codegen
