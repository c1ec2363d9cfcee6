#pragma once
// Typed elements to JSON values and back. One table of fields a struct serves both ways; a field with its default value is
// not written. Internal to the document file.
#include "trace/document.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>
#include <optional>
#include <tuple>
#include <type_traits>

namespace cutaway::trace::file {

using Json = nlohmann::json;

template <class S, class M> struct Field {
  const char* key;
  M S::*member;
};
template <class S, class M> constexpr Field<S, M> field(const char* key, M S::*member) { return {key, member}; }

// The tables: fields(T*) for structs, words(E*) for enums. Found by argument, declared in fields.h.
template <class T> concept Struct = requires(T* t) { fields(t); };
template <class E> concept Worded = std::is_enum_v<E> && requires(E* e) { words(e); };

// Reads with the first error kept: what was wrong and at which path.
class Decoder {
 public:
  bool ok() const { return error_.empty(); }
  const std::string& error() const { return error_; }
  void fail(const std::string& what) {
    if (ok()) error_ = path_.empty() ? what : path_ + ": " + what;
  }
  TextPool& pool() { return pool_; }

  template <class T> void at(const std::string& key, const Json& j, T& out) {
    if (!ok()) return;
    const size_t length = path_.size();
    path_ += path_.empty() ? key : "." + key;
    read(j, out);
    path_.resize(length);
  }

  void read(const Json& j, bool& out) { j.is_boolean() ? void(out = j.get<bool>()) : fail("not true or false"); }
  void read(const Json& j, double& out) {
    if (j.is_number()) return void(out = j.get<double>());
    if (j.is_null()) return void(out = std::numeric_limits<double>::quiet_NaN());
    fail("not a number");
  }
  void read(const Json& j, Text& out) { j.is_string() ? void(out = pool_(j.get_ref<const std::string&>())) : fail("not a text"); }
  void read(const Json& j, Entity& out) {
    if (!j.is_string() || !parse_entity_key(j.get_ref<const std::string&>(), out)) fail("not an entity key such as \"op:12\"");
  }
  template <std::integral T> void read(const Json& j, T& out) {
    if (!j.is_number_integer()) return fail("not a whole number");
    if (j.is_number_unsigned() ? std::in_range<T>(j.get<uint64_t>()) : std::in_range<T>(j.get<int64_t>())) {
      out = static_cast<T>(j.get<int64_t>());
    } else {
      fail("the number is out of range");
    }
  }
  template <class Tag> void read(const Json& j, Id<Tag>& out) {
    if (j.is_null()) return void(out = {});
    read(j, out.v);
    if (ok() && !out.valid()) fail("not an id");
  }
  template <class T> void read(const Json& j, std::vector<T>& out) {
    if (!j.is_array()) return fail("not a list");
    out.clear();
    for (size_t i = 0; i < j.size() && ok(); ++i) at(std::to_string(i), j[i], out.emplace_back());
  }
  template <Worded E> void read(const Json& j, E& out) {
    const auto& names = words(&out);
    if (j.is_string())
      for (size_t i = 0; i < std::size(names); ++i)
        if (j.get_ref<const std::string&>() == names[i]) return void(out = static_cast<E>(i));
    fail("not a known word");
  }
  template <Struct T> void read(const Json& j, T& out) {
    if (!j.is_object()) return fail("not an object");
    std::apply([&](const auto&... f) { (member(j, f, out), ...); }, fields(&out));
  }

 private:
  template <class T, class F> void member(const Json& j, const F& f, T& out) {
    if (const auto found = j.find(f.key); found != j.end()) at(f.key, *found, out.*f.member);
  }

  TextPool pool_;
  std::string path_, error_;
};

inline Json encode(bool v) { return v; }
inline Json encode(double v) { return std::isfinite(v) ? Json(v) : Json(); }
inline Json encode(const Text& v) { return v.str(); }
inline Json encode(Entity v) { return entity_key(v); }
template <std::integral T> Json encode(T v) { return v; }
template <class Tag> Json encode(Id<Tag> v) { return v ? Json(v.v) : Json(); }
template <Worded E> Json encode(E v) { return words(&v)[static_cast<size_t>(v)]; }
template <Struct T> Json encode(const T& v);
template <class T> Json encode(const std::vector<T>& v) {
  Json list = Json::array();
  for (const T& e : v) list.push_back(encode(e));
  return list;
}
template <Struct T> Json encode(const T& v) {
  static const T standard{};
  Json object = Json::object();
  std::apply([&](const auto&... f) { ((v.*f.member == standard.*f.member ? void() : void(object[f.key] = encode(v.*f.member))), ...); },
             fields(static_cast<const T*>(nullptr)));
  return object;
}

} // namespace cutaway::trace::file
