#include "ir/attr.h"

#include "base/check.h"

#include <algorithm>
#include <bit>

namespace cutaway {

bool same_attr(const AttrValue& a, const AttrValue& b) {
  if (a.index() != b.index()) return false;
  if (const auto* t = std::get_if<Tensor>(&a)) return t->same_bits(std::get<Tensor>(b));
  if (const auto* d = std::get_if<double>(&a)) return std::bit_cast<uint64_t>(*d) == std::bit_cast<uint64_t>(std::get<double>(b));
  if (const auto* v = std::get_if<std::vector<double>>(&a)) {
    const auto& w = std::get<std::vector<double>>(b);
    return std::equal(v->begin(), v->end(), w.begin(), w.end(),
                      [](double x, double y) { return std::bit_cast<uint64_t>(x) == std::bit_cast<uint64_t>(y); });
  }
  return std::visit(
      [&](const auto& x) {
        using T = std::decay_t<decltype(x)>;
        if constexpr (std::is_same_v<T, Tensor>) return false;
        else return x == std::get<T>(b);
      },
      a);
}

void Attrs::set(const std::string& name, AttrValue value) {
  auto it = std::lower_bound(entries_.begin(), entries_.end(), name, [](const Entry& e, const std::string& n) { return e.first < n; });
  if (it != entries_.end() && it->first == name) it->second = std::move(value);
  else entries_.insert(it, {name, std::move(value)});
}

const AttrValue* Attrs::find(const std::string& name) const {
  for (const Entry& e : entries_)
    if (e.first == name) return &e.second;
  return nullptr;
}

template <class T> const T& Attrs::required(const std::string& name) const {
  const AttrValue* v = find(name);
  CUTAWAY_CHECK(v && std::holds_alternative<T>(*v), "attribute '" + name + "' is missing or of another kind");
  return std::get<T>(*v);
}

int64_t Attrs::i(const std::string& name) const { return required<int64_t>(name); }
int64_t Attrs::i(const std::string& name, int64_t otherwise) const { return find(name) ? required<int64_t>(name) : otherwise; }
double Attrs::f(const std::string& name, double otherwise) const { return find(name) ? required<double>(name) : otherwise; }
const std::string& Attrs::s(const std::string& name) const { return required<std::string>(name); }
const std::vector<int64_t>& Attrs::ints(const std::string& name) const { return required<std::vector<int64_t>>(name); }
const Shape& Attrs::dims(const std::string& name) const { return required<Shape>(name); }
DType Attrs::dtype(const std::string& name) const { return required<DType>(name); }
const Tensor& Attrs::tensor(const std::string& name) const { return required<Tensor>(name); }

bool operator==(const Attrs& a, const Attrs& b) {
  return std::equal(a.entries_.begin(), a.entries_.end(), b.entries_.begin(), b.entries_.end(),
                    [](const Attrs::Entry& x, const Attrs::Entry& y) { return x.first == y.first && same_attr(x.second, y.second); });
}

} // namespace cutaway
