#include "codegen/contraction/microkernel.h"

namespace cutaway::codegen {
namespace {

constexpr const char* unroll = "_Pragma(\"clang loop unroll(full)\")";

void print_step(CText& out, const std::string& vector, int rows, int vectors, int lanes, const char* type) {
  out.line("{} w[{}];", vector, vectors);
  out.line("{}", unroll);
  out.line("for (int j = 0; j < {}; j++) w[j] = *(const {}u*)(b + {} * j);", vectors, vector, lanes);
  out.line("b += pitch;");
  out.line("{}", unroll);
  out.open("for (int i = 0; i < {}; i++)", rows);
  out.line("const {} x = a[i][k];", type);
  out.line("{}", unroll);
  out.line("for (int j = 0; j < {}; j++) s[i][j] += x * w[j];", vectors);
  out.close();
}

// Every sum of the tile in turn: `statement` may use i and j.
void print_each(CText& out, int rows, int vectors, const std::string& statement) {
  out.line("{}", unroll);
  out.open("for (int i = 0; i < {}; i++)", rows);
  out.line("{}", unroll);
  out.line("for (int j = 0; j < {}; j++) {}", vectors, statement);
  out.close();
}

} // namespace

std::string print_microkernel(CText& out, Elem acc, int rows, int vectors, const Simd& simd) {
  const int lanes = lanes_of(acc, simd.bytes);
  const std::string vector = vector_name(acc, simd.bytes), type = c_type(acc);
  const std::string name = fmt::format("cw_tile_{}_{}x{}x{}", elem_name(acc), rows, vectors, lanes);
  const std::string sum = fmt::format("*({}*)(sums + {} * i + {} * j)", vector, vectors * lanes, lanes);
  print_vector_type(out, acc, simd.bytes);
  out.margin("#ifndef " + name + "_defined");
  out.margin("#define " + name + "_defined");
  out.open(
      "static __attribute__((noinline)) void {}(long taps, long depth, const {}* const* at, const {}* b, long pitch, "
      "{}* sums, long add, const char* next)",
      name, type, type, type);
  out.line("{} s[{}][{}];", vector, rows, vectors);
  out.open("if (add)");
  print_each(out, rows, vectors, "s[i][j] = " + sum + ";");
  out.otherwise();
  print_each(out, rows, vectors, "s[i][j] = (" + vector + "){0};");
  out.close();
  out.open("for (long t = 0; t < taps; t++, at += {})", rows);
  out.line("const {}* a[{}];", type, rows);
  out.line("{}", unroll);
  out.line("for (int i = 0; i < {}; i++) a[i] = at[i];", rows);
  out.line("long k = 0;");
  out.line("_Pragma(\"clang loop unroll(disable)\")");
  out.open("while (k + 1 < depth)");
  out.line("__builtin_prefetch(next, 0, 2);");
  out.line("next += 64;");
  out.line("{}", unroll);
  out.open("for (int u = 0; u < 2; u++, k++)");
  print_step(out, vector, rows, vectors, lanes, type.c_str());
  out.close();
  out.close();
  out.open("if (k < depth)");
  print_step(out, vector, rows, vectors, lanes, type.c_str());
  out.close();
  out.close();
  print_each(out, rows, vectors, sum + " = s[i][j];");
  out.close();
  out.margin("#endif");
  return name;
}

} // namespace cutaway::codegen
