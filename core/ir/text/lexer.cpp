#include "ir/text/lexer.h"

#include <cctype>
#include <charconv>
#include <cstdlib>

namespace cutaway::text_form {
namespace {

constexpr int depth_limit = 64;
constexpr int64_t tensor_limit = int64_t{1} << 30;

bool name_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; }
int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

} // namespace

int Lexer::line() const {
  int n = 1;
  for (size_t i = 0; i < at_ && i < text_.size(); ++i) n += text_[i] == '\n';
  return n;
}

char Lexer::peek() {
  while (at_ < text_.size()) {
    if (std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    else if (text_[at_] == '#') while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    else return text_[at_];
  }
  return 0;
}

bool Lexer::symbol(char c) { return peek() == c && ++at_; }

bool Lexer::word(const char* w) {
  const size_t start = (peek(), at_);
  std::string s;
  if (name(s) && s == w) return true;
  at_ = start;
  return false;
}

bool Lexer::name(std::string& out) {
  peek();
  out.clear();
  while (at_ < text_.size() && name_char(text_[at_])) out += text_[at_++];
  return !out.empty();
}

bool Lexer::string(std::string& out) {
  if (!symbol('"')) return false;
  out.clear();
  while (at_ < text_.size() && text_[at_] != '"') {
    char c = text_[at_++];
    if (c == '\\') {
      if (at_ >= text_.size()) return false;
      c = text_[at_++];
      if (c == 'x') {
        if (at_ + 2 > text_.size()) return false;
        const int high = hex_digit(text_[at_]), low = hex_digit(text_[at_ + 1]);
        if (high < 0 || low < 0) return false;
        c = static_cast<char>(high * 16 + low);
        at_ += 2;
      }
    }
    out += c;
  }
  return at_ < text_.size() && ++at_;
}

bool Lexer::integer(int64_t& out) {
  peek();
  const char *first = text_.data() + at_, *last = text_.data() + text_.size();
  const auto [end, error] = std::from_chars(first, last, out);
  if (error != std::errc()) return false;
  at_ += static_cast<size_t>(end - first);
  return true;
}

bool Lexer::real(double& out) {
  peek();
  const char* first = text_.c_str() + at_;
  char* end = nullptr;
  out = std::strtod(first, &end);
  if (end == first) return false;
  at_ += static_cast<size_t>(end - first);
  return true;
}

bool Lexer::integers(std::vector<int64_t>& out) {
  out.clear();
  if (!symbol('[')) return false;
  if (symbol(']')) return true;
  do {
    int64_t v = 0;
    if (!integer(v)) return false;
    out.push_back(v);
  } while (symbol(','));
  return symbol(']');
}

bool Lexer::shape(Shape& out) {
  out.clear();
  if (!symbol('[')) return false;
  if (symbol(']')) return true;
  do {
    Dim d;
    if (!dim(d, 0)) return false;
    out.push_back(std::move(d));
  } while (symbol(','));
  return symbol(']') && out.size() <= 64;
}

bool Lexer::dim(Dim& out, int depth) {
  if (depth > depth_limit || !term(out, depth)) return false;
  for (;;) {
    Dim right;
    if (symbol('+')) {
      if (!term(right, depth)) return false;
      out = out + right;
    } else if (word("floordiv")) {
      if (!factor(right, depth)) return false;
      out = floordiv(out, right);
    } else if (word("mod")) {
      if (!factor(right, depth)) return false;
      out = mod(out, right);
    } else {
      return !out.is_invalid();
    }
  }
}

bool Lexer::term(Dim& out, int depth) {
  if (!factor(out, depth)) return false;
  while (symbol('*')) {
    Dim right;
    if (!factor(right, depth)) return false;
    out = out * right;
  }
  return true;
}

bool Lexer::factor(Dim& out, int depth) {
  const char c = peek();
  if (c == '(') return symbol('(') && dim(out, depth + 1) && symbol(')');
  std::string s;
  if (c == '"') {
    if (!string(s)) return false;
    return out = Dim::symbol(s), true;
  }
  int64_t v = 0;
  if (c == '-' || std::isdigit(static_cast<unsigned char>(c))) return integer(v) && (out = Dim(v), true);
  if (!name(s)) return false;
  if ((s == "max" || s == "min") && peek() == '(') return call(s, out, depth);
  return out = Dim::symbol(s), true;
}

bool Lexer::call(const std::string& name, Dim& out, int depth) {
  Dim a, b;
  if (!symbol('(') || !dim(a, depth + 1) || !symbol(',') || !dim(b, depth + 1) || !symbol(')')) return false;
  out = name == "max" ? dim_max(a, b) : dim_min(a, b);
  return true;
}

bool Lexer::type(Type& out) {
  std::string s;
  return name(s) && parse_dtype(s, out.dtype) && shape(out.shape);
}

bool Lexer::tensor(Tensor& out) {
  Type t;
  if (!type(t) || !is_static(t.shape)) return false;
  const bool splat = word("splat");
  const auto count = count_of(static_dims(t.shape));
  if (!count) return false;
  if (t.dtype == DType::string) {
    std::vector<std::string> values;
    if (!symbol('[')) return false;
    while (peek() == '"') {
      std::string s;
      if (!string(s)) return false;
      values.push_back(std::move(s));
      symbol(',');
    }
    if (static_cast<int64_t>(values.size()) != *count) return false;
    out = Tensor::of_strings(static_dims(t.shape), std::move(values));
    return symbol(']');
  }
  if (!splat && *count > tensor_limit / std::max<int64_t>(dtype_size(t.dtype), 1)) return false;
  const int64_t bytes = splat ? dtype_size(t.dtype) : *count * dtype_size(t.dtype);
  std::string digits;
  if (!word("hex") || !string(digits) || static_cast<int64_t>(digits.size()) != 2 * bytes) return false;
  Tensor data(t.dtype, splat ? std::vector<int64_t>{} : static_dims(t.shape));
  for (int64_t i = 0; i < bytes; ++i) {
    const int high = hex_digit(digits[static_cast<size_t>(2 * i)]), low = hex_digit(digits[static_cast<size_t>(2 * i + 1)]);
    if (high < 0 || low < 0) return false;
    data.mutable_data()[i] = static_cast<std::byte>(high * 16 + low);
  }
  out = splat ? Tensor::splat(t.dtype, static_dims(t.shape), data.data()) : data;
  return true;
}

bool Lexer::attribute(AttrValue& out) {
  std::string s;
  std::vector<int64_t> ints;
  if (peek() == '"') return string(s) && (out = s, true);
  if (peek() == '[') return integers(ints) && (out = ints, true);
  int64_t i = 0;
  if (integer(i)) return out = i, true;
  if (!name(s)) return false;
  double d = 0;
  if (s == "real") return real(d) && (out = d, true);
  Shape dims;
  if (s == "shape") return shape(dims) && (out = dims, true);
  DType t;
  if (s == "type") return name(s) && parse_dtype(s, t) && (out = t, true);
  Tensor data;
  if (s == "tensor") return tensor(data) && (out = data, true);
  const bool reals = s == "reals";
  if ((!reals && s != "strings") || !symbol('[')) return false;
  std::vector<double> numbers;
  std::vector<std::string> strings;
  while (peek() != ']' && peek() != 0) {
    if (reals ? !real(d) : !string(s)) return false;
    if (reals) numbers.push_back(d);
    else strings.push_back(s);
    if (!symbol(',')) break;
  }
  if (reals) out = numbers;
  else out = strings;
  return symbol(']');
}

} // namespace cutaway::text_form
