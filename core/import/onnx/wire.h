#pragma once
#include "base/result.h"

#include <protozero/pbf_reader.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// The protobuf wire format under this folder's readers. Faults of the file are thrown as Refused inside the folder and
// become a Diagnostic at its public functions (see `guarded`).
namespace cutaway::onnx {

// Hard limits of what a file may ask for; past one of them the fault is `limit`.
constexpr size_t max_name_bytes = 64 << 10;
constexpr size_t max_text_bytes = 16 << 20; // one metadata value
constexpr int max_graph_depth = 32;         // graphs inside attributes inside graphs
constexpr int max_type_depth = 32;          // sequence of optional of ...
constexpr size_t max_rank = 64;
constexpr size_t max_attributes_per_node = 256;
constexpr size_t max_struct_bytes = size_t{4} << 30;  // memory of all structs that are read from one model
constexpr size_t max_decoded_bytes = size_t{8} << 30; // tensors that are decoded, not viewed

// A fault of the file. `at` points into the mapped bytes where the wire format itself is broken.
struct Refused {
  Diagnostic diagnostic;
  const char* at = nullptr;
};
[[noreturn]] void refuse(Diagnostic diagnostic);

// `'name'`, cut to 80 bytes at a character's boundary.
std::string quote(std::string_view name);
// "node 'a' (If), attribute 'then_branch', ..." from outside to inside.
void prepend_where(Diagnostic& diagnostic, const std::string& label);

// Runs f; a fault that leaves it is told to lie within label().
template <class Label, class F> auto within(Label label, F f) -> decltype(f()) {
  try {
    return f();
  } catch (Refused& refused) {
    prepend_where(refused.diagnostic, label());
    throw;
  }
}

// Walks the fields of one message. Every getter checks the wire type and the bounds; strings are views of the file.
class Message {
 public:
  explicit Message(std::string_view bytes) : reader_(bytes.data(), bytes.size()) {}

  bool next();
  uint32_t field() const { return reader_.tag(); }
  void skip();
  int64_t integer();
  float real();
  std::string_view bytes();
  Message message() { return Message(bytes()); }
  // A name: UTF-8 without zero bytes, at most max_name_bytes. `what` is for the diagnostic ("a node's name").
  std::string name(const char* what);
  // Text for people: bytes that are no UTF-8 become '?'.
  std::string text();
  // Appends the encoded bytes of a repeated number, packed or not; count and decode them with the functions below.
  void varints(std::vector<std::string_view>& chunks);
  void fixed(std::vector<std::string_view>& chunks, size_t width);
  // Where the reader stands, for diagnostics.
  const char* at() const { return reader_.data().data(); }

 private:
  void expect(protozero::pbf_wire_type type) const;

  protozero::pbf_reader reader_;
};

// Number of varints in the chunks; a last one that is cut is refused.
size_t count_varints(const std::vector<std::string_view>& chunks);
// Calls take(uint64) for each.
template <class Take> void decode_varints(const std::vector<std::string_view>& chunks, Take take) {
  for (std::string_view chunk : chunks) {
    const char* at = chunk.data();
    const char* end = at + chunk.size();
    while (at != end) {
      try {
        take(protozero::decode_varint(&at, end));
      } catch (const protozero::exception& e) {
        throw Refused{invalid_model("", std::string("a number is broken: ") + e.what()), at};
      }
    }
  }
}
size_t total_bytes(const std::vector<std::string_view>& chunks);

bool is_utf8(std::string_view text);

} // namespace cutaway::onnx
