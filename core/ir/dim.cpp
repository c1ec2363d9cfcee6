#include "ir/dim.h"

#include "base/check.h"

#include <algorithm>
#include <cctype>

namespace cutaway {

// A leaf of the polynomial: a symbol, or floordiv/mod/max/min of two dims.
struct DimAtom {
  enum class Kind { symbol, floordiv, mod, max, min } kind;
  std::string name; // of a symbol
  Dim a, b;         // of the rest
  std::string text; // canonical; equality and order go by it
};

using AtomRef = std::shared_ptr<const DimAtom>;

// Sum of coefficient times product of atoms; the key of a term joins the texts of its atoms, "" is the constant.
struct DimPoly {
  struct Term {
    int64_t coefficient;
    std::vector<AtomRef> factors; // sorted by text
  };
  std::map<std::string, Term> terms;

  static std::string key_of(const std::vector<AtomRef>& factors) {
    std::string key;
    for (const AtomRef& f : factors) key += (key.empty() ? "" : "*") + f->text;
    return key;
  }
  static DimPoly of(const Dim& d) {
    if (d.poly_) return *d.poly_;
    DimPoly p;
    if (d.value_ != 0) p.terms[""] = {d.value_, {}};
    return p;
  }
  static Dim finish(DimPoly p) { return Dim(std::move(p)); }
  static Dim of_atom(DimAtom atom) {
    DimPoly p;
    auto ref = std::make_shared<const DimAtom>(std::move(atom));
    p.terms[ref->text] = {1, {ref}};
    return Dim(std::move(p));
  }
  // Adds one term; false on overflow.
  bool add(const std::string& key, int64_t coefficient, const std::vector<AtomRef>& factors) {
    auto [it, fresh] = terms.try_emplace(key, Term{0, factors});
    if (__builtin_add_overflow(it->second.coefficient, coefficient, &it->second.coefficient)) return false;
    if (it->second.coefficient == 0) terms.erase(it);
    return true;
  }
};

namespace {

bool is_identifier(const std::string& name) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) return false;
  return std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

std::string quoted(const std::string& name) {
  if (is_identifier(name)) return name;
  static const char* digits = "0123456789abcdef";
  std::string out = "\"";
  for (unsigned char c : name) {
    if (c == '"' || c == '\\') (out += '\\') += static_cast<char>(c);
    else if (c < 0x20 || c == 0x7f) (out += "\\x") += {digits[c >> 4], digits[c & 15]};
    else out += static_cast<char>(c);
  }
  return out + "\"";
}

int64_t floor_div(int64_t a, int64_t b) {
  const int64_t q = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q;
}

// Floor division and modulo of numbers; nothing by zero or on overflow.
std::optional<int64_t> fold(DimAtom::Kind kind, int64_t a, int64_t b) {
  switch (kind) {
  case DimAtom::Kind::floordiv:
  case DimAtom::Kind::mod:
    if (b == 0 || (b == -1 && a == INT64_MIN)) return std::nullopt;
    return kind == DimAtom::Kind::floordiv ? floor_div(a, b) : a - b * floor_div(a, b);
  case DimAtom::Kind::max: return std::max(a, b);
  case DimAtom::Kind::min: return std::min(a, b);
  case DimAtom::Kind::symbol: break;
  }
  return std::nullopt;
}

std::string atom_text(DimAtom::Kind kind, const Dim& a, const Dim& b) {
  switch (kind) {
  case DimAtom::Kind::floordiv: return "((" + a.str() + ") floordiv (" + b.str() + "))";
  case DimAtom::Kind::mod: return "((" + a.str() + ") mod (" + b.str() + "))";
  case DimAtom::Kind::max: return "max(" + a.str() + ", " + b.str() + ")";
  case DimAtom::Kind::min: return "min(" + a.str() + ", " + b.str() + ")";
  case DimAtom::Kind::symbol: break;
  }
  return {};
}

Dim make_atom(DimAtom::Kind kind, const Dim& a, const Dim& b) {
  if (a.is_invalid() || b.is_invalid()) return Dim::invalid();
  if (a.is_const() && b.is_const()) {
    const auto v = fold(kind, a.value(), b.value());
    return v ? Dim(*v) : Dim::invalid();
  }
  const bool divides = kind == DimAtom::Kind::floordiv || kind == DimAtom::Kind::mod;
  if (divides && b.is(0)) return Dim::invalid();
  if (divides && (b.is(1) || a == b)) // dims that divide are never zero where the quotient is used
    return kind == DimAtom::Kind::mod ? Dim(0) : b.is(1) ? a : Dim(1);
  if (!divides && a == b) return a;
  if (!divides && b.str() < a.str()) return make_atom(kind, b, a);
  return DimPoly::of_atom({kind, "", a, b, atom_text(kind, a, b)});
}

// a / b where b is a number that divides every coefficient of a, or b is one monomial that divides every term.
std::optional<Dim> divide_exactly(const Dim& a, const Dim& b) {
  const DimPoly p = DimPoly::of(a), q = DimPoly::of(b);
  if (q.terms.size() != 1) return std::nullopt;
  const DimPoly::Term& by = q.terms.begin()->second;
  DimPoly out;
  for (const auto& [key, term] : p.terms) {
    if (by.coefficient == 0 || term.coefficient % by.coefficient != 0) return std::nullopt;
    std::vector<AtomRef> rest = term.factors;
    for (const AtomRef& f : by.factors) {
      auto it = std::find_if(rest.begin(), rest.end(), [&](const AtomRef& r) { return r->text == f->text; });
      if (it == rest.end()) return std::nullopt;
      rest.erase(it);
    }
    if (!out.add(DimPoly::key_of(rest), term.coefficient / by.coefficient, rest)) return std::nullopt;
  }
  return DimPoly::finish(std::move(out));
}

std::string term_text(const DimPoly::Term& term) {
  std::string text = DimPoly::key_of(term.factors);
  if (text.empty()) return std::to_string(term.coefficient);
  if (term.coefficient == 1) return text;
  return std::to_string(term.coefficient) + "*" + text;
}

} // namespace

Dim::Dim(DimPoly poly) {
  const bool is_number = poly.terms.empty() || (poly.terms.size() == 1 && poly.terms.begin()->first.empty());
  if (is_number) value_ = poly.terms.empty() ? 0 : poly.terms.begin()->second.coefficient;
  else poly_ = std::make_shared<const DimPoly>(std::move(poly));
}

Dim Dim::symbol(const std::string& name) { return DimPoly::of_atom({DimAtom::Kind::symbol, name, {}, {}, quoted(name)}); }

Dim Dim::invalid() {
  Dim d;
  d.invalid_ = true;
  return d;
}

int64_t Dim::value() const {
  CUTAWAY_CHECK(is_const(), "the dim " + str() + " is not a number");
  return value_;
}

std::string Dim::str() const {
  if (invalid_) return "invalid";
  if (!poly_) return std::to_string(value_);
  std::string out;
  int64_t constant = 0;
  for (const auto& [key, term] : poly_->terms) {
    if (key.empty()) {
      constant = term.coefficient;
      continue;
    }
    out += (out.empty() ? "" : " + ") + term_text(term);
  }
  return constant ? out + " + " + std::to_string(constant) : out;
}

std::vector<std::string> Dim::symbols() const {
  std::vector<std::string> out;
  if (!poly_) return out;
  for (const auto& [key, term] : poly_->terms)
    for (const AtomRef& f : term.factors) {
      if (f->kind == DimAtom::Kind::symbol) out.push_back(f->name);
      for (const Dim* d : {&f->a, &f->b})
        for (std::string& s : d->symbols()) out.push_back(std::move(s));
    }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::optional<int64_t> Dim::eval(const std::map<std::string, int64_t>& bindings) const { return bind(bindings).constant(); }

Dim Dim::bind(const std::map<std::string, int64_t>& bindings) const {
  if (!poly_ || bindings.empty()) return *this;
  Dim sum = 0;
  for (const auto& [key, term] : poly_->terms) {
    Dim product = term.coefficient;
    for (const AtomRef& f : term.factors) {
      if (f->kind == DimAtom::Kind::symbol) {
        const auto it = bindings.find(f->name);
        product = product * (it == bindings.end() ? Dim::symbol(f->name) : Dim(it->second));
      } else {
        product = product * make_atom(f->kind, f->a.bind(bindings), f->b.bind(bindings));
      }
    }
    sum = sum + product;
  }
  return sum;
}

bool operator==(const Dim& a, const Dim& b) {
  if (a.invalid_ || b.invalid_) return a.invalid_ == b.invalid_;
  if (!a.poly_ && !b.poly_) return a.value_ == b.value_;
  if (a.poly_ == b.poly_) return true;
  return a.poly_ && b.poly_ && a.str() == b.str();
}

Dim operator+(const Dim& a, const Dim& b) {
  if (a.invalid_ || b.invalid_) return Dim::invalid();
  DimPoly p = DimPoly::of(a);
  for (const auto& [key, term] : DimPoly::of(b).terms)
    if (!p.add(key, term.coefficient, term.factors)) return Dim::invalid();
  return DimPoly::finish(std::move(p));
}

Dim operator-(const Dim& a, const Dim& b) { return a + b * Dim(-1); }

Dim operator*(const Dim& a, const Dim& b) {
  if (a.invalid_ || b.invalid_) return Dim::invalid();
  if (!a.poly_ && !b.poly_) {
    int64_t v = 0;
    return __builtin_mul_overflow(a.value_, b.value_, &v) ? Dim::invalid() : Dim(v);
  }
  const DimPoly pa = DimPoly::of(a), pb = DimPoly::of(b);
  DimPoly out;
  for (const auto& [ka, ta] : pa.terms)
    for (const auto& [kb, tb] : pb.terms) {
      std::vector<AtomRef> factors = ta.factors;
      factors.insert(factors.end(), tb.factors.begin(), tb.factors.end());
      std::sort(factors.begin(), factors.end(), [](const AtomRef& x, const AtomRef& y) { return x->text < y->text; });
      int64_t c = 0;
      if (__builtin_mul_overflow(ta.coefficient, tb.coefficient, &c)) return Dim::invalid();
      if (!out.add(DimPoly::key_of(factors), c, factors)) return Dim::invalid();
    }
  return DimPoly::finish(std::move(out));
}

Dim floordiv(const Dim& a, const Dim& b) {
  if (!a.is_invalid() && !b.is_invalid() && !a.is_const())
    if (auto exact = divide_exactly(a, b)) return *exact;
  return make_atom(DimAtom::Kind::floordiv, a, b);
}

Dim mod(const Dim& a, const Dim& b) {
  if (!a.is_invalid() && !b.is_invalid() && !a.is_const() && divide_exactly(a, b)) return 0;
  return make_atom(DimAtom::Kind::mod, a, b);
}

Dim dim_max(const Dim& a, const Dim& b) { return make_atom(DimAtom::Kind::max, a, b); }
Dim dim_min(const Dim& a, const Dim& b) { return make_atom(DimAtom::Kind::min, a, b); }

bool is_static(const Shape& shape) {
  return std::all_of(shape.begin(), shape.end(), [](const Dim& d) { return d.is_const(); });
}

std::vector<int64_t> static_dims(const Shape& shape) {
  std::vector<int64_t> out;
  out.reserve(shape.size());
  for (const Dim& d : shape) out.push_back(d.value());
  return out;
}

Shape make_shape(const std::vector<int64_t>& dims) { return Shape(dims.begin(), dims.end()); }

Dim element_count(const Shape& shape) {
  Dim n = 1;
  for (const Dim& d : shape) n = n * d;
  return n;
}

std::string shape_str(const Shape& shape) {
  std::string out = "[";
  for (size_t i = 0; i < shape.size(); ++i) out += (i ? ", " : "") + shape[i].str();
  return out + "]";
}

} // namespace cutaway
