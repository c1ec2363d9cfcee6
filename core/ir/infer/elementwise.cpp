#include "ir/infer/rules.h"

namespace cutaway::infer_rules {
namespace {

// What dtypes an elementwise op takes and gives.
enum class Rule { same, floats, to_bool, bools, integers, compare, number };

Rule rule_of(Op op) {
  switch (op) {
  case Op::exp: case Op::log: case Op::sqrt: case Op::rsqrt: case Op::recip: case Op::tanh: case Op::sigmoid: case Op::erf:
  case Op::sin: case Op::cos: case Op::tan: case Op::asin: case Op::acos: case Op::atan: case Op::sinh: case Op::cosh:
  case Op::asinh: case Op::acosh: case Op::atanh: case Op::floor: case Op::ceil: case Op::round_even: return Rule::floats;
  case Op::is_nan: return Rule::to_bool;
  case Op::logical_not: case Op::logical_and: case Op::logical_or: case Op::logical_xor: return Rule::bools;
  case Op::bit_not: case Op::bit_and: case Op::bit_or: case Op::bit_xor: case Op::shift_left: case Op::shift_right: return Rule::integers;
  case Op::equal: return Rule::compare;
  case Op::less: case Op::less_equal: return Rule::compare;
  default: return Rule::number;
  }
}

Status check_dtype(const Args& a, DType t) {
  const Rule rule = rule_of(a.op);
  const bool fits = rule == Rule::floats || rule == Rule::to_bool ? is_float(t)
                    : rule == Rule::bools                          ? t == DType::boolean
                    : rule == Rule::integers                       ? is_integer(t)
                    : rule == Rule::number                         ? t != DType::boolean && t != DType::string
                                                                   : t != DType::string;
  if (!fits) return a.bad(std::string("cannot take dtype ") + dtype_name(t));
  return {};
}

Types cast_type(const Args& a) {
  const DType to = a.attrs.dtype("to");
  if (a.op == Op::bitcast && dtype_size(to) != dtype_size(a.in[0].dtype)) return a.bad("bitcast keeps the size of an element");
  if (to == DType::string || a.in[0].dtype == DType::string) return unsupported(a.where(), "casts from or to strings");
  return std::vector<Type>{{to, a.in[0].shape}};
}

} // namespace

Types elementwise(const Args& a) {
  if (a.op == Op::cast || a.op == Op::bitcast) return cast_type(a);
  Shape shape;
  for (const Type& t : a.in) {
    auto merged = broadcast_shapes(shape, t.shape);
    if (!merged) return a.bad(merged.error().what);
    shape = *merged;
  }
  const bool is_select = a.op == Op::select;
  const DType first = a.in[is_select ? 1 : 0].dtype;
  if (is_select && a.in[0].dtype != DType::boolean) return a.bad("the condition must be bool");
  if (!is_select)
    if (Status s = check_dtype(a, first); !s) return s.error();
  for (size_t i = is_select ? 2 : 1; i < a.in.size(); ++i)
    if (a.in[i].dtype != first && a.op != Op::pow)
      return a.bad(std::string("dtypes ") + dtype_name(first) + " and " + dtype_name(a.in[i].dtype) + " differ");
  const Rule rule = rule_of(a.op);
  const bool gives_bool = rule == Rule::to_bool || rule == Rule::compare;
  return std::vector<Type>{{gives_bool ? DType::boolean : first, shape}};
}

} // namespace cutaway::infer_rules
