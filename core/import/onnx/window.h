#pragma once
#include "import/onnx/op_context.h"

namespace cutaway::onnx {

// A window over the spatial dims, one entry each, with explicit padding.
struct Window {
  std::vector<int64_t> kernel, strides, dilations, low, high;
};

// Reads kernel_shape (or takes `kernel`), strides, dilations, pads, auto_pad and, for pools, ceil_mode of the node. `x`
// is N, C, spatial.
Window read_window(OpContext& c, ValueId x, const std::vector<int64_t>& kernel);

ValueId conv_of(OpContext& c, ValueId x, ValueId w, const Window& win, int64_t groups);

// MatMul of ONNX: vectors at either side, batches broadcast.
ValueId matmul_of(OpContext& c, ValueId a, ValueId b);

} // namespace cutaway::onnx
