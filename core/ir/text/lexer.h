#pragma once
#include "ir/attr.h"

namespace cutaway::text_form {

// Reads the pieces of the text form. Each reader skips blanks and `#` comments, and takes nothing where it does not fit.
class Lexer {
 public:
  explicit Lexer(const std::string& text) : text_(text) {}

  int line() const;
  char peek();                      // the next character, 0 at the end
  bool at_end() { return peek() == 0; }
  bool symbol(char c);
  bool word(const char* w);         // a whole word
  bool name(std::string& out);      // letters, digits, '_', '.'
  bool string(std::string& out);    // quoted
  bool integer(int64_t& out);
  bool real(double& out);           // decimal, or hexadecimal as printed
  bool integers(std::vector<int64_t>& out);
  bool shape(Shape& out);
  bool type(Type& out);
  bool tensor(Tensor& out);
  bool attribute(AttrValue& out);

 private:
  bool dim(Dim& out, int depth);     // sum of terms
  bool term(Dim& out, int depth);
  bool factor(Dim& out, int depth);
  bool call(const std::string& name, Dim& out, int depth);

  const std::string& text_;
  size_t at_ = 0;
};

} // namespace cutaway::text_form
