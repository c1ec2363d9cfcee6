#include "ir/infer/rules.h"

#include <algorithm>

namespace cutaway::infer_rules {
namespace {

// Positions of a window along one padded dim; zero where the window does not fit.
Dim positions(const Dim& extent, int64_t low, int64_t high, int64_t window, int64_t stride, int64_t dilation) {
  const int64_t reach = (window - 1) * dilation + 1;
  const Dim room = extent + Dim(low) + Dim(high) - Dim(reach);
  if (room.is_const() && room.value() < 0) return 0;
  return floordiv(room, stride) + 1;
}

Types dot(const Args& a) {
  const Type &x = a.in[0], &y = a.in[1];
  if (x.rank() < 2 || y.rank() < 2) return a.bad("operands must have rank 2 or more");
  if (x.dtype != y.dtype || x.dtype == DType::boolean) return a.bad("dtypes " + x.str() + " and " + y.str() + " differ");
  const Dim &kx = x.shape[x.rank() - 1], &ky = y.shape[y.rank() - 2];
  if (!(kx == ky)) return a.bad("inner extents " + kx.str() + " and " + ky.str() + " of " + x.str() + " and " + y.str() + " differ");
  auto batch = broadcast_shapes(Shape(x.shape.begin(), x.shape.end() - 2), Shape(y.shape.begin(), y.shape.end() - 2));
  if (!batch) return a.bad(batch.error().what);
  batch->push_back(x.shape[x.rank() - 2]);
  batch->push_back(y.shape[y.rank() - 1]);
  return std::vector<Type>{{x.dtype, *batch}};
}

Types conv(const Args& a) {
  const Type &x = a.in[0], &w = a.in[1];
  if (x.rank() < 3 || w.rank() != x.rank() || x.dtype != w.dtype) return a.bad("operands " + x.str() + " and " + w.str() + " do not fit");
  const size_t spatial = x.rank() - 2;
  for (const char* name : {"strides", "dilations", "pad_low", "pad_high"})
    if (Status s = check_list(a, name, spatial); !s) return s.error();
  const int64_t groups = a.attrs.i("groups");
  if (groups < 1 || !(x.shape[1] == w.shape[1] * Dim(groups)))
    return a.bad("channels " + x.shape[1].str() + " are not groups " + std::to_string(groups) + " times " + w.shape[1].str());
  if (w.shape[0].is_const() && w.shape[0].value() % groups != 0) return a.bad("output channels do not divide by groups");
  Shape shape{x.shape[0], w.shape[0]};
  for (size_t i = 0; i < spatial; ++i) {
    const int64_t stride = a.attrs.ints("strides")[i], dilation = a.attrs.ints("dilations")[i];
    const int64_t low = a.attrs.ints("pad_low")[i], high = a.attrs.ints("pad_high")[i];
    if (!w.shape[i + 2].is_const()) return a.bad("the kernel's extents must be known");
    const int64_t window = w.shape[i + 2].value();
    if (stride < 1 || dilation < 1 || low < 0 || high < 0 || window < 1 || window > INT32_MAX || dilation > INT32_MAX)
      return a.bad("strides, dilations and kernel must be at least 1, pads at least 0");
    shape.push_back(positions(x.shape[i + 2], low, high, window, stride, dilation));
  }
  return std::vector<Type>{{x.dtype, shape}};
}

} // namespace

Types contraction(const Args& a) { return a.op == Op::conv ? conv(a) : dot(a); }

Types window(const Args& a) {
  const Type& x = a.in[0];
  for (const char* name : {"window", "strides", "dilations", "pad_low", "pad_high"})
    if (Status s = check_list(a, name, x.rank()); !s) return s.error();
  const std::string& kind = a.attrs.s("kind");
  if (kind != "sum" && kind != "max" && kind != "min") return a.bad("unknown kind '" + kind + "'");
  Shape shape;
  for (size_t i = 0; i < x.rank(); ++i) {
    const int64_t window = a.attrs.ints("window")[i], stride = a.attrs.ints("strides")[i], dilation = a.attrs.ints("dilations")[i];
    const int64_t low = a.attrs.ints("pad_low")[i], high = a.attrs.ints("pad_high")[i];
    if (stride < 1 || dilation < 1 || low < 0 || high < 0 || window < 1 || window > INT32_MAX || dilation > INT32_MAX)
      return a.bad("windows, strides and dilations must be at least 1, pads at least 0");
    shape.push_back(positions(x.shape[i], low, high, window, stride, dilation));
  }
  return std::vector<Type>{{x.dtype, shape}};
}

Types reduction(const Args& a) {
  const Type& x = a.in[0];
  if (x.dtype == DType::string) return a.bad("cannot reduce strings");
  if (op_class(a.op) == OpClass::scan) {
    if (auto axis = axis_of(a, x.rank()); !axis) return axis.error();
    return std::vector<Type>{x};
  }
  const AttrValue* list = a.attrs.find("axes");
  if (!list || !std::holds_alternative<std::vector<int64_t>>(*list)) return a.bad("attribute 'axes' is missing");
  const auto& axes = std::get<std::vector<int64_t>>(*list);
  const bool index = a.op == Op::argmax || a.op == Op::argmin;
  if (index && axes.size() != 1) return a.bad("takes exactly one axis");
  for (size_t i = 0; i < axes.size(); ++i)
    if (axes[i] < 0 || axes[i] >= static_cast<int64_t>(x.rank()) || (i && axes[i] <= axes[i - 1]))
      return a.bad("axes must be sorted, distinct and within rank " + std::to_string(x.rank()));
  Shape shape;
  for (size_t i = 0; i < x.rank(); ++i) {
    const bool reduced = std::binary_search(axes.begin(), axes.end(), static_cast<int64_t>(i));
    if (reduced && index && x.shape[i].is(0)) return a.bad("there is no " + std::string(op_name(a.op)) + " of nothing");
    if (!reduced) shape.push_back(x.shape[i]);
    else if (a.attrs.i("keepdims")) shape.push_back(1);
  }
  return std::vector<Type>{{index ? DType::i64 : x.dtype, shape}};
}

} // namespace cutaway::infer_rules
