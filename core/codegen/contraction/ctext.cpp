#include "codegen/contraction/ctext.h"

#include "base/check.h"

namespace cutaway::codegen {
namespace {
struct ElemFacts {
  const char* name;
  const char* c_type;
  int64_t bytes;
};
// In the order of Elem.
constexpr ElemFacts facts[] = {
    {"f32", "float", 4},      {"f64", "double", 8},       {"f16", "unsigned short", 2}, {"bf16", "unsigned short", 2},
    {"i8", "signed char", 1}, {"u8", "unsigned char", 1}, {"i16", "short", 2},          {"u16", "unsigned short", 2},
    {"i32", "int", 4},        {"u32", "unsigned int", 4}, {"i64", "long", 8},           {"u64", "unsigned long", 8},
};
const ElemFacts& facts_of(Elem elem) {
  return facts[static_cast<size_t>(elem)];
}
} // namespace

int64_t elem_bytes(Elem elem) {
  return facts_of(elem).bytes;
}
const char* elem_name(Elem elem) {
  return facts_of(elem).name;
}
const char* c_type(Elem elem) {
  return facts_of(elem).c_type;
}
bool is_accumulator(Elem elem) {
  return elem_bytes(elem) >= 4;
}

void CText::paste(std::string_view text) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    if (end != 0) put(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
}

std::string load_expr(Elem elem, Elem acc, const std::string& p, const std::string& index) {
  if (elem == Elem::f16 || elem == Elem::bf16)
    return fmt::format("({})cw_load_{}({}, {})", c_type(acc), elem_name(elem), p, index);
  if (elem == acc) return fmt::format("{}[{}]", p, index);
  return fmt::format("({}){}[{}]", c_type(acc), p, index);
}

int lanes_of(Elem acc, int bytes) {
  return bytes / static_cast<int>(elem_bytes(acc));
}

std::string vector_name(Elem acc, int bytes) {
  return fmt::format("cw_{}x{}", elem_name(acc), lanes_of(acc, bytes));
}

void print_vector_type(CText& out, Elem acc, int bytes) {
  const std::string name = vector_name(acc, bytes);
  out.margin("#ifndef " + name + "_defined");
  out.margin("#define " + name + "_defined");
  out.line("typedef {} {} __attribute__((vector_size({}), may_alias));", c_type(acc), name, bytes);
  out.line("typedef {} {}u __attribute__((vector_size({}), aligned({}), may_alias));", c_type(acc), name, bytes,
           elem_bytes(acc));
  out.margin("#endif");
}

std::string print_transpose(CText& out, Elem acc, int bytes) {
  const int lanes = lanes_of(acc, bytes);
  const std::string vector = vector_name(acc, bytes), name = vector + "_transpose";
  std::string low, high; // a full interleave of two vectors
  for (int i = 0; i < lanes; ++i) {
    low += fmt::format(", {}", i / 2 + (i % 2) * lanes);
    high += fmt::format(", {}", lanes / 2 + i / 2 + (i % 2) * lanes);
  }
  print_vector_type(out, acc, bytes);
  out.margin("#ifndef " + name + "_defined");
  out.margin("#define " + name + "_defined");
  out.open("static void {}(const {}* from, long from_pitch, {}* to, long to_pitch)", name, c_type(acc), c_type(acc));
  out.line("{} r[{}], q[{}];", vector, lanes, lanes);
  out.line("_Pragma(\"clang loop unroll(full)\")");
  out.line("for (int i = 0; i < {}; i++) r[i] = *(const {}u*)(from + i * from_pitch);", lanes, vector);
  for (int width = 1; width < lanes; width *= 2) {
    out.line("_Pragma(\"clang loop unroll(full)\")");
    out.open("for (int i = 0; i < {}; i++)", lanes / 2);
    out.line("q[2 * i] = __builtin_shufflevector(r[i], r[i + {}]{});", lanes / 2, low);
    out.line("q[2 * i + 1] = __builtin_shufflevector(r[i], r[i + {}]{});", lanes / 2, high);
    out.close();
    out.line("_Pragma(\"clang loop unroll(full)\")");
    out.line("for (int i = 0; i < {}; i++) r[i] = q[i];", lanes);
  }
  out.line("_Pragma(\"clang loop unroll(full)\")");
  out.line("for (int i = 0; i < {}; i++) *({}u*)(to + i * to_pitch) = r[i];", lanes, vector);
  out.close();
  out.margin("#endif");
  return name;
}

} // namespace cutaway::codegen
