#pragma once
#include "ir/tensor.h"

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace cutaway {

// The value of one attribute. A tensor is shared, never copied.
using AttrValue = std::variant<int64_t, double, std::string, std::vector<int64_t>, std::vector<double>,
                               std::vector<std::string>, Shape, DType, Tensor>;

bool same_attr(const AttrValue& a, const AttrValue& b);

// A node's attributes: few, kept sorted by name, so that equal sets compare equal and print alike.
class Attrs {
 public:
  using Entry = std::pair<std::string, AttrValue>;

  Attrs() = default;
  Attrs(std::initializer_list<Entry> entries) {
    for (const Entry& e : entries) set(e.first, e.second);
  }
  void set(const std::string& name, AttrValue value);
  const AttrValue* find(const std::string& name) const;
  const std::vector<Entry>& entries() const { return entries_; }
  bool empty() const { return entries_.empty(); }

  // Typed access; a missing entry of a required attribute is a bug of the compiler (verify checks what is read).
  int64_t i(const std::string& name) const;
  int64_t i(const std::string& name, int64_t otherwise) const;
  double f(const std::string& name, double otherwise) const;
  const std::string& s(const std::string& name) const;
  const std::vector<int64_t>& ints(const std::string& name) const;
  const Shape& dims(const std::string& name) const;
  DType dtype(const std::string& name) const;
  const Tensor& tensor(const std::string& name) const;

  friend bool operator==(const Attrs& a, const Attrs& b);

 private:
  template <class T> const T& required(const std::string& name) const;
  std::vector<Entry> entries_;
};

} // namespace cutaway
