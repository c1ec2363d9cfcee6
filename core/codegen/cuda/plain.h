#pragma once
#include "codegen/nest.h"

#include <optional>

// Kernels that are nothing but what libraries compute: candidates for these.
namespace cutaway::codegen {

struct GroupKernel;

// Where an operand begins.
struct PlainOperand {
  size_t buffer = 0;  // of the kernel
  int64_t offset = 0; // elements
};

// out[b][m][n] = sum over k of a[b][m][k] * b[b][k][n], all of one type: f32, f16 or bf16. Of a side's row and column
// strides one is 1; all count elements.
struct PlainProduct {
  struct Side : PlainOperand {
    int64_t row = 0, column = 1, batch = 0;
  };
  DType type = DType::f32;
  int64_t batch = 1, m = 0, n = 0, k = 0;
  Side a, b, out;
};

// Op::conv, all of one type: f32, f16 or bf16; padded by as much on both sides.
struct PlainConvolution {
  struct Side : PlainOperand {
    std::vector<int64_t> dims, strides;
  };
  DType type = DType::f32;
  Side in, weights, out;
  std::vector<int64_t> stride, dilation, pad;
  int64_t groups = 1;
};

// Of a group of one node; `kernel`: with its buffers.
std::optional<PlainProduct> plain_product(const NestPrinter& p, const std::vector<NodeId>& nodes, const GroupKernel& kernel);
std::optional<PlainConvolution> plain_convolution(const NestPrinter& p, const std::vector<NodeId>& nodes, const GroupKernel& kernel);

} // namespace cutaway::codegen
