#include "import/onnx/wire.h"

#include <algorithm>
#include <array>

namespace cutaway::onnx {

using protozero::pbf_wire_type;

namespace {

[[noreturn]] void broken(const std::string& what, const char* at, const char* hint = "") {
  throw Refused{invalid_model("", what, hint), at};
}

// Length of the well-formed UTF-8 sequence at the start of text, or 0 (RFC 3629: no overlong forms, no surrogates).
size_t utf8_length(std::string_view text) {
  const auto at = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto tail = [&](size_t i) { return i < text.size() && (at(i) & 0xC0) == 0x80; };
  const unsigned c = at(0);
  if (c < 0x80) return 1;
  if (c >= 0xC2 && c <= 0xDF) return tail(1) ? 2 : 0;
  if (c >= 0xE0 && c <= 0xEF) {
    if (!tail(1) || !tail(2)) return 0;
    if ((c == 0xE0 && at(1) < 0xA0) || (c == 0xED && at(1) > 0x9F)) return 0;
    return 3;
  }
  if (c >= 0xF0 && c <= 0xF4) {
    if (!tail(1) || !tail(2) || !tail(3)) return 0;
    if ((c == 0xF0 && at(1) < 0x90) || (c == 0xF4 && at(1) > 0x8F)) return 0;
    return 4;
  }
  return 0;
}

} // namespace

void refuse(Diagnostic diagnostic) {
  throw Refused{std::move(diagnostic)};
}

std::string quote(std::string_view name) {
  constexpr size_t shown = 80;
  if (name.size() <= shown) return "'" + std::string(name) + "'";
  size_t end = shown;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;
  return "'" + std::string(name.substr(0, end)) + "...'";
}

void prepend_where(Diagnostic& diagnostic, const std::string& label) {
  if (label.empty()) return;
  diagnostic.where = diagnostic.where.empty() ? label : label + ", " + diagnostic.where;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const size_t n = utf8_length(text);
    if (n == 0) return false;
    text.remove_prefix(n);
  }
  return true;
}

bool Message::next() {
  const char* before = at();
  try {
    return reader_.next();
  } catch (const protozero::exception& e) {
    broken(std::string("the data is no protobuf: ") + e.what(), before);
  }
}

void Message::expect(pbf_wire_type type) const {
  if (reader_.wire_type() == type) return;
  broken("field " + std::to_string(field()) + " has wire type " +
             std::to_string(static_cast<int>(reader_.wire_type())) + " where ONNX has " +
             std::to_string(static_cast<int>(type)),
         at());
}

void Message::skip() {
  if (reader_.wire_type() == pbf_wire_type::length_delimited) {
    bytes();
    return;
  }
  const char* before = at();
  try {
    reader_.skip();
  } catch (const protozero::exception& e) {
    broken(std::string("the data is no protobuf: ") + e.what(), before);
  }
}

int64_t Message::integer() {
  expect(pbf_wire_type::varint);
  const char* before = at();
  try {
    return static_cast<int64_t>(reader_.get_uint64());
  } catch (const protozero::exception& e) {
    broken(std::string("a number is broken: ") + e.what(), before);
  }
}

float Message::real() {
  expect(pbf_wire_type::fixed32);
  const char* before = at();
  try {
    return reader_.get_float();
  } catch (const protozero::exception& e) {
    broken(std::string("a number is broken: ") + e.what(), before);
  }
}

std::string_view Message::bytes() {
  expect(pbf_wire_type::length_delimited);
  const char* before = at();
  try {
    // protozero keeps 32 bits of a length: look at all of them first.
    const protozero::data_view rest = reader_.data();
    const char* p = rest.data();
    const char* end = p + rest.size();
    const uint64_t length = protozero::decode_varint(&p, end);
    const auto left = static_cast<uint64_t>(end - p);
    if (length > left) {
      broken("field " + std::to_string(field()) + " needs " + std::to_string(length) + " bytes where " +
                 std::to_string(left) + " are left",
             before, "the file is cut short or damaged: fetch it again");
    }
    const protozero::data_view view = reader_.get_view();
    return {view.data(), view.size()};
  } catch (const protozero::exception& e) {
    broken(std::string("a length is broken: ") + e.what(), before);
  }
}

std::string Message::name(const char* what) {
  const char* before = at();
  const std::string_view view = bytes();
  if (view.size() > max_name_bytes) {
    refuse(over_limit("", std::string(what) + " is " + std::to_string(view.size()) + " bytes long",
                      "names may have " + std::to_string(max_name_bytes) + " bytes"));
  }
  if (view.find('\0') != std::string_view::npos || !is_utf8(view))
    broken(std::string(what) + " is not UTF-8 text", before);
  return std::string(view);
}

std::string Message::text() {
  std::string_view view = bytes();
  if (view.size() > max_text_bytes) {
    refuse(over_limit("", "a text of the metadata is " + std::to_string(view.size()) + " bytes long",
                      "texts may have " + std::to_string(max_text_bytes) + " bytes"));
  }
  if (is_utf8(view)) return std::string(view);
  std::string out;
  while (!view.empty()) {
    const size_t n = utf8_length(view);
    if (n == 0)
      out += '?';
    else
      out += view.substr(0, n);
    view.remove_prefix(std::max<size_t>(n, 1));
  }
  return out;
}

void Message::varints(std::vector<std::string_view>& chunks) {
  if (reader_.wire_type() == pbf_wire_type::length_delimited) {
    chunks.push_back(bytes());
    return;
  }
  const char* before = at();
  integer();
  chunks.emplace_back(before, static_cast<size_t>(at() - before));
}

void Message::fixed(std::vector<std::string_view>& chunks, size_t width) {
  const char* before = at();
  if (reader_.wire_type() == pbf_wire_type::length_delimited) {
    chunks.push_back(bytes());
    if (chunks.back().size() % width) broken("packed numbers do not fill their field", before);
    return;
  }
  expect(width == 4 ? pbf_wire_type::fixed32 : pbf_wire_type::fixed64);
  skip();
  chunks.emplace_back(before, width);
}

size_t count_varints(const std::vector<std::string_view>& chunks) {
  size_t n = 0;
  for (std::string_view chunk : chunks) {
    if (chunk.empty()) continue;
    if (static_cast<unsigned char>(chunk.back()) & 0x80) broken("the last of the packed numbers is cut", chunk.data());
    n += static_cast<size_t>(std::count_if(chunk.begin(), chunk.end(), [](char c) { return !(c & 0x80); }));
  }
  return n;
}

size_t total_bytes(const std::vector<std::string_view>& chunks) {
  size_t n = 0;
  for (std::string_view chunk : chunks) n += chunk.size();
  return n;
}

} // namespace cutaway::onnx
