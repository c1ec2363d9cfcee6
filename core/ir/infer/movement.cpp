#include "ir/infer/rules.h"

#include <algorithm>

namespace cutaway::infer_rules {
namespace {

Types one(DType dtype, Shape shape) { return std::vector<Type>{{dtype, std::move(shape)}}; }

Types reshape(const Args& a) {
  const Shape& shape = a.attrs.dims("shape");
  const Dim from = element_count(a.in[0].shape), to = element_count(shape);
  if (from.is_const() && to.is_const() && !(from == to))
    return a.bad("reshape of " + a.in[0].str() + " to " + shape_str(shape) + " changes the number of elements");
  return one(a.in[0].dtype, shape);
}

Types permute(const Args& a) {
  const size_t rank = a.in[0].rank();
  if (Status s = check_list(a, "perm", rank); !s) return s.error();
  const auto& perm = a.attrs.ints("perm");
  std::vector<bool> seen(rank);
  Shape shape;
  for (int64_t p : perm) {
    if (p < 0 || p >= static_cast<int64_t>(rank) || seen[static_cast<size_t>(p)]) return a.bad("'perm' is no permutation");
    seen[static_cast<size_t>(p)] = true;
    shape.push_back(a.in[0].shape[static_cast<size_t>(p)]);
  }
  return one(a.in[0].dtype, shape);
}

Types broadcast(const Args& a) {
  const Shape& shape = a.attrs.dims("shape");
  auto merged = broadcast_shapes(a.in[0].shape, shape);
  if (!merged || !(*merged == shape)) return a.bad(a.in[0].str() + " does not stretch to " + shape_str(shape));
  return one(a.in[0].dtype, shape);
}

Types slice(const Args& a) {
  const size_t rank = a.in[0].rank();
  for (const char* name : {"starts", "steps", "sizes"})
    if (Status s = check_list(a, name, rank); !s) return s.error();
  const auto &starts = a.attrs.ints("starts"), &steps = a.attrs.ints("steps"), &sizes = a.attrs.ints("sizes");
  Shape shape;
  for (size_t i = 0; i < rank; ++i) {
    if (sizes[i] < 0 || steps[i] == 0) return a.bad("sizes must not be negative and steps not zero");
    const Dim& d = a.in[0].shape[i];
    int64_t span = 0, last = 0;
    const bool over = __builtin_mul_overflow(steps[i], sizes[i] - 1, &span) || __builtin_add_overflow(starts[i], span, &last);
    if (sizes[i] > 0 && (over || starts[i] < 0 || last < 0 || (d.is_const() && std::max(starts[i], last) >= d.value())))
      return a.bad("the slice leaves dim " + std::to_string(i) + " of " + a.in[0].str());
    shape.push_back(sizes[i]);
  }
  return one(a.in[0].dtype, shape);
}

Types pad(const Args& a) {
  const size_t rank = a.in[0].rank();
  for (const char* name : {"low", "high", "interior"})
    if (Status s = check_list(a, name, rank); !s) return s.error();
  if (a.in[1].dtype != a.in[0].dtype || a.in[1].rank() != 0) return a.bad("the fill must be a scalar of the input's dtype");
  const auto &low = a.attrs.ints("low"), &high = a.attrs.ints("high"), &interior = a.attrs.ints("interior");
  Shape shape;
  for (size_t i = 0; i < rank; ++i) {
    if (low[i] < 0 || high[i] < 0 || interior[i] < 0) return a.bad("negative padding");
    const Dim& d = a.in[0].shape[i];
    const Dim gaps = d.is(0) || interior[i] == 0 ? Dim(0) : (d - 1) * interior[i];
    shape.push_back(d + gaps + Dim(low[i]) + Dim(high[i]));
  }
  return one(a.in[0].dtype, shape);
}

Types concat(const Args& a) {
  auto axis = axis_of(a, a.in[0].rank());
  if (!axis) return axis.error();
  const auto at = static_cast<size_t>(*axis);
  Shape shape = a.in[0].shape;
  for (size_t k = 1; k < a.in.size(); ++k) {
    if (a.in[k].rank() != shape.size() || a.in[k].dtype != a.in[0].dtype)
      return a.bad("inputs " + a.in[0].str() + " and " + a.in[k].str() + " differ in rank or dtype");
    for (size_t i = 0; i < shape.size(); ++i)
      if (i != at && !(a.in[k].shape[i] == shape[i])) return a.bad("inputs " + a.in[0].str() + " and " + a.in[k].str() + " differ in dim " + std::to_string(i));
    shape[at] = shape[at] + a.in[k].shape[at];
  }
  return one(a.in[0].dtype, shape);
}

} // namespace

Types movement(const Args& a) {
  switch (a.op) {
  case Op::reshape: return reshape(a);
  case Op::permute: return permute(a);
  case Op::broadcast: return broadcast(a);
  case Op::slice: return slice(a);
  case Op::pad: return pad(a);
  default: return concat(a);
  }
}

} // namespace cutaway::infer_rules
