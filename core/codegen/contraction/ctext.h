#pragma once
#include "codegen/contraction/contraction.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace cutaway::codegen {

// C text under construction: one statement a line, braces matched by open() and close().
class CText {
 public:
  template <class... T> void line(fmt::format_string<T...> format, T&&... args) {
    put(fmt::format(format, std::forward<T>(args)...));
  }
  // Prints the head and " {".
  template <class... T> void open(fmt::format_string<T...> format, T&&... args) {
    put(fmt::format(format, std::forward<T>(args)...) + " {");
    ++depth_;
  }
  void close() {
    --depth_;
    put("}");
  }
  // Closes the block and opens its alternative.
  void otherwise() {
    --depth_;
    put("} else {");
    ++depth_;
  }
  // Text of several lines, indented here line by line.
  void paste(std::string_view text);
  // A line at the left margin (preprocessor).
  void margin(std::string_view text) { (text_ += text) += '\n'; }
  // A loop that stays a loop: address arithmetic is not worth the code that unrolling and vectorising it would make.
  template <class... T> void plain_loop(fmt::format_string<T...> format, T&&... args) {
    put("_Pragma(\"clang loop vectorize(disable) unroll(disable)\")");
    put(fmt::format(format, std::forward<T>(args)...) + " {");
    ++depth_;
  }
  std::string take() { return std::move(text_); }

 private:
  void put(std::string_view text) {
    text_.append(static_cast<size_t>(2 * depth_), ' ');
    (text_ += text) += '\n';
  }
  std::string text_;
  int depth_ = 0;
};

const char* elem_name(Elem elem); // "f32"
const char* c_type(Elem elem);    // "float"; f16 and bf16 are stored as unsigned short
bool is_accumulator(Elem elem);   // f32, f64 and integers of 32 or 64 bits
// The C expression of element `index` behind pointer `p` (of c_type), as a value of `acc`.
std::string load_expr(Elem elem, Elem acc, const std::string& p, const std::string& index);

// Names of the vector type of `acc` elements and of its unaligned twin, and their guarded definition.
int lanes_of(Elem acc, int bytes);
std::string vector_name(Elem acc, int bytes);
void print_vector_type(CText& out, Elem acc, int bytes);
// Defines `NAME(const T* from, long from_pitch, T* to, long to_pitch)`, to[c][r] = from[r][c] for a square block as
// wide as a vector, and returns its name.
std::string print_transpose(CText& out, Elem acc, int bytes);

} // namespace cutaway::codegen
