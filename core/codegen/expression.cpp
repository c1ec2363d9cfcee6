#include "codegen/kernel.h"

#include "base/check.h"

namespace cutaway::codegen {
namespace {

bool small_float(DType t) { return t == DType::f16 || t == DType::bf16; }

std::string rounded(std::string e, DType t) {
  if (t == DType::f16) return "cw_round_f16(" + e + ")";
  if (t == DType::bf16) return "cw_round_bf16(" + e + ")";
  return e;
}

// Ops whose function is named after them for floats and integers alike: cw_<name>_<suffix>(a[, b]).
const char* library_name(Op op, bool real) {
  switch (op) {
  case Op::abs: return "abs";
  case Op::sign: return "sign";
  case Op::exp: return "exp";
  case Op::log: return "log";
  case Op::sqrt: return "sqrt";
  case Op::rsqrt: return "rsqrt";
  case Op::recip: return "recip";
  case Op::tanh: return "tanh";
  case Op::sigmoid: return "sigmoid";
  case Op::erf: return "erf";
  case Op::sin: return "sin";
  case Op::cos: return "cos";
  case Op::tan: return "tan";
  case Op::asin: return "asin";
  case Op::acos: return "acos";
  case Op::atan: return "atan";
  case Op::sinh: return "sinh";
  case Op::cosh: return "cosh";
  case Op::asinh: return "asinh";
  case Op::acosh: return "acosh";
  case Op::atanh: return "atanh";
  case Op::floor: return "floor";
  case Op::ceil: return "ceil";
  case Op::round_even: return "round_even";
  case Op::mod: return "mod";
  case Op::rem: return "fmod";
  case Op::pow: return "pow";
  case Op::maximum: return "max";
  case Op::minimum: return "min";
  case Op::fma: return "fma";
  case Op::shift_left: return "shl";
  case Op::shift_right: return "shr";
  case Op::neg: return real ? nullptr : "neg";
  case Op::add: return real ? nullptr : "add";
  case Op::sub: return real ? nullptr : "sub";
  case Op::mul: return real ? nullptr : "mul";
  case Op::div: return real ? nullptr : "div";
  default: return nullptr;
  }
}

const char* infix(Op op) {
  switch (op) {
  case Op::add: return " + ";
  case Op::sub: return " - ";
  case Op::mul: return " * ";
  case Op::div: return " / ";
  case Op::equal: return " == ";
  case Op::less: return " < ";
  case Op::less_equal: return " <= ";
  case Op::logical_and: case Op::bit_and: return " & ";
  case Op::logical_or: case Op::bit_or: return " | ";
  case Op::logical_xor: case Op::bit_xor: return " ^ ";
  default: return nullptr;
  }
}

std::string cast_expression(const std::string& x, DType from, DType to) {
  if (to == DType::boolean) return "(unsigned char)(" + x + " != 0)";
  if (is_integer(to) && is_float(from)) return std::string("cw_") + (from == DType::f64 ? "f64" : "f32") + "_to_" + suffix(to) + "(" + x + ")";
  if (is_integer(to)) return std::string("(") + c_type(to) + ")(" + x + ")";
  if (from == DType::f64 && to == DType::f16) return "cw_f16_to_f32(cw_f64_to_f16(" + x + "))";
  if (from == DType::f64 && to == DType::bf16) return "cw_bf16_to_f32(cw_f64_to_bf16(" + x + "))";
  return rounded(std::string("(") + c_type(to) + ")(" + x + ")", to);
}

} // namespace

const char* c_type(DType t) {
  switch (t) {
  case DType::f64: return "double";
  case DType::f32: case DType::f16: case DType::bf16: return "float";
  case DType::i64: return "cw_i64";
  case DType::i32: return "cw_i32";
  case DType::i16: return "cw_i16";
  case DType::i8: return "cw_i8";
  case DType::u64: return "cw_u64";
  case DType::u32: return "cw_u32";
  case DType::u16: return "cw_u16";
  default: return "unsigned char"; // u8, bool
  }
}

const char* suffix(DType t) {
  if (small_float(t)) return "f32";
  if (t == DType::boolean) return "u8";
  return dtype_name(t);
}

std::string elementwise_expression(const Node& n, const std::vector<std::string>& x, const std::vector<DType>& in, DType out) {
  switch (n.op) {
  case Op::cast: return cast_expression(x[0], in[0], out);
  case Op::is_nan: return "(unsigned char)(" + x[0] + " != " + x[0] + ")";
  case Op::logical_not: return "(unsigned char)!" + x[0];
  case Op::bit_not: return std::string("(") + c_type(out) + ")~" + x[0];
  case Op::select: return "(" + x[0] + " ? " + x[1] + " : " + x[2] + ")";
  case Op::bitcast: return "";
  default: break;
  }
  const bool real = is_float(in[0]);
  if (n.op == Op::neg && real) return "-" + x[0];
  if (const char* sign = infix(n.op); sign && !library_name(n.op, real)) {
    const std::string e = x[0] + sign + x[1];
    return real && is_float(out) ? rounded("(" + e + ")", out) : std::string("(") + c_type(out) + ")(" + e + ")";
  }
  const char* name = library_name(n.op, real);
  if (!name) return "";
  for (size_t i = 1; i < in.size(); ++i)
    if (in[i] != in[0]) return "";
  std::string call = std::string("cw_") + name + "_" + suffix(in[0]) + "(";
  for (size_t i = 0; i < x.size(); ++i) call += (i ? ", " : "") + x[i];
  return rounded(call + ")", out);
}

bool can_generate(const Graph& g, const Node& n) {
  for (ValueId v : n.inputs)
    if (!is_computable(g.type(v).dtype)) return false;
  for (ValueId v : n.outputs)
    if (!is_computable(g.type(v).dtype)) return false;
  switch (op_class(n.op)) {
  case OpClass::elementwise: {
    std::vector<DType> in;
    for (ValueId v : n.inputs) in.push_back(g.type(v).dtype);
    return !elementwise_expression(n, std::vector<std::string>(in.size(), "x"), in, g.type(n.outputs[0]).dtype).empty();
  }
  case OpClass::reduction: return n.op != Op::argmax && n.op != Op::argmin;
  case OpClass::view:
  case OpClass::contraction:
  case OpClass::window: return true;
  case OpClass::injective: return true;
  case OpClass::gather: return n.op == Op::gather;
  default: return n.op == Op::iota;
  }
}

} // namespace cutaway::codegen
