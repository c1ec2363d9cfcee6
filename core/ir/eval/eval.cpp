#include "ir/eval/dispatch.h"

#include "base/check.h"

namespace cutaway {
namespace eval_impl {
namespace {

constexpr int64_t result_limit = int64_t{4} << 30;

Tensors iota(const Call& c) {
  Tensor out = c.make();
  const auto dims = c.out_dims();
  const auto axis = static_cast<size_t>(c.attrs.i("axis"));
  int64_t inner = 1;
  for (size_t d = axis + 1; d < dims.size(); ++d) inner *= dims[d];
  const bool ok = visit_number(out.dtype(), [&](auto t) {
    using Tr = decltype(t);
    auto* o = out.mutable_as<typename Tr::Stored>();
    for (int64_t i = 0; i < out.count(); ++i) o[i] = Tr::store(static_cast<typename Tr::Native>((i / inner) % dims[axis]));
  });
  if (!ok) return c.refuse(out.dtype());
  return std::vector<Tensor>{out};
}

Tensors dispatch(const Call& c) {
  switch (c.op) {
  case Op::constant: return std::vector<Tensor>{c.oracle ? to_oracle(c.attrs.tensor("data")) : c.attrs.tensor("data")};
  case Op::iota: return iota(c);
  case Op::dim_of: return std::vector<Tensor>{Tensor::scalar_i64(c.in[0].dims()[static_cast<size_t>(c.attrs.i("axis"))])};
  case Op::cast:
  case Op::bitcast: return cast(c);
  case Op::topk: return topk(c);
  case Op::recurrent: return recurrent(c);
  default: break;
  }
  switch (op_class(c.op)) {
  case OpClass::elementwise: return elementwise(c);
  case OpClass::reduction: return reduce(c);
  case OpClass::scan: return scan(c);
  case OpClass::view:
  case OpClass::injective: return movement(c);
  case OpClass::gather:
  case OpClass::scatter: return indexed(c);
  case OpClass::contraction: return contraction(c);
  case OpClass::window: return window(c);
  default: break;
  }
  CUTAWAY_CHECK(false, std::string(op_name(c.op)) + " is not evaluated by the reference");
  return std::vector<Tensor>{};
}

// An elementwise or view op over splats alone is one element's worth of work.
bool splat_result(Op op, std::span<const Tensor> in) {
  const bool kind = op_class(op) == OpClass::elementwise || op_class(op) == OpClass::view;
  return kind && !in.empty() && std::all_of(in.begin(), in.end(), [](const Tensor& t) { return t.is_splat() || (t.count() == 1); }) &&
         std::any_of(in.begin(), in.end(), [](const Tensor& t) { return t.is_splat(); });
}

Tensors evaluate_splat(const Call& c) {
  if (op_class(c.op) == OpClass::view) return std::vector<Tensor>{Tensor::splat(c.in[0].dtype(), c.out_dims(), c.in[0].data())};
  std::vector<Tensor> ones;
  for (const Tensor& t : c.in) ones.emplace_back(Tensor(t.dtype(), {}, t.data(), std::make_shared<Tensor>(t)).aligned());
  const Type scalar{c.out_types[0].dtype, {}};
  auto one = dispatch({c.op, c.attrs, ones, std::span(&scalar, 1), c.oracle});
  if (!one) return one;
  return std::vector<Tensor>{Tensor::splat(scalar.dtype, c.out_dims(), (*one)[0].data())};
}

} // namespace

std::vector<int64_t> strides_of(const std::vector<int64_t>& dims) {
  std::vector<int64_t> s(dims.size());
  int64_t step = 1;
  for (size_t d = dims.size(); d-- > 0; step *= dims[d]) s[d] = step;
  return s;
}

} // namespace eval_impl

Tensor to_oracle(const Tensor& t) {
  if (!is_float(t.dtype()) || t.dtype() == DType::f64) return t;
  const Type wide{DType::f64, make_shape(t.dims())};
  auto out = eval(Op::cast, {{"to", DType::f64}}, std::span(&t, 1), std::span(&wide, 1));
  CUTAWAY_CHECK(out.ok(), "a float tensor has no f64 form");
  return (*out)[0];
}

Result<std::vector<Tensor>> eval(Op op, const Attrs& attrs, std::span<const Tensor> inputs, std::span<const Type> outputs,
                                 const EvalOptions& options) {
  using namespace eval_impl;
  std::vector<Type> types(outputs.begin(), outputs.end());
  for (Type& t : types) {
    if (options.oracle && is_float(t.dtype)) t.dtype = DType::f64;
    const bool splat = splat_result(op, inputs) || op == Op::constant;
    if (!splat && t.bytes() > result_limit)
      return over_limit(op_name(op), "the result takes " + std::to_string(t.bytes() >> 20) + " MiB, the limit is 4096 MiB");
  }
  if (splat_result(op, inputs)) return evaluate_splat({op, attrs, inputs, types, options.oracle});
  std::vector<Tensor> in;
  for (const Tensor& t : inputs) in.push_back(t.aligned());
  return dispatch({op, attrs, in, types, options.oracle});
}

} // namespace cutaway
