#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace cutaway::trace::file {

inline constexpr int nesting_limit = 64;

// Walks over one value without recursion and without keeping anything: says where nesting passes the limit, where the text
// ends too early, or (CBOR) where a type is used that documents do not have. Nothing where all is well. It comes before
// decoding because decoders recurse.
std::optional<std::string> scan_json(std::span<const std::byte> text);
std::optional<std::string> scan_cbor(std::span<const std::byte> bytes);

} // namespace cutaway::trace::file
