#include "base/sha256.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace cutaway {

namespace {

constexpr uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint32_t big_endian(const uint8_t* at) {
  return uint32_t(at[0]) << 24 | uint32_t(at[1]) << 16 | uint32_t(at[2]) << 8 | at[3];
}

uint32_t sigma(uint32_t x, int a, int b, int c) { return std::rotr(x, a) ^ std::rotr(x, b) ^ std::rotr(x, c); }

} // namespace

void Sha256::block(const uint8_t* bytes) {
  uint32_t w[64];
  for (int i = 0; i < 16; ++i) w[i] = big_endian(bytes + 4 * i);
  for (int i = 16; i < 64; ++i) {
    const uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
    const uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (int i = 0; i < 64; ++i) {
    const uint32_t t1 = h + sigma(e, 6, 11, 25) + ((e & f) ^ (~e & g)) + round_constants[i] + w[i];
    const uint32_t t2 = sigma(a, 2, 13, 22) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const uint32_t now[8] = {a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < 8; ++i) state_[i] += now[i];
}

void Sha256::add(std::string_view bytes) {
  const auto* at = reinterpret_cast<const uint8_t*>(bytes.data());
  size_t left = bytes.size();
  bytes_ += left;
  if (held_ > 0) {
    const size_t n = std::min(left, open_.size() - held_);
    std::copy_n(at, n, open_.begin() + held_);
    at += n, left -= n, held_ += n;
    if (held_ < open_.size()) return;
    block(open_.data());
    held_ = 0;
  }
  for (; left >= open_.size(); at += open_.size(), left -= open_.size()) block(at);
  std::copy_n(at, left, open_.begin());
  held_ = left;
}

Digest Sha256::digest() {
  const uint64_t bits = bytes_ * 8;
  const size_t zeros = (held_ < 56 ? 55 : 119) - held_; // up to eight bytes before the end of a block
  char tail[128] = {char(0x80)};
  for (int i = 0; i < 8; ++i) tail[1 + zeros + size_t(i)] = char(bits >> (56 - 8 * i));
  add({tail, 1 + zeros + 8});
  Digest out;
  for (size_t i = 0; i < out.size(); ++i) out[i] = uint8_t(state_[i / 4] >> (24 - 8 * (i % 4)));
  return out;
}

Digest sha256(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.digest();
}

std::string hex(const Digest& digest) {
  static const char digits[] = "0123456789abcdef";
  std::string text;
  for (const uint8_t byte : digest) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

} // namespace cutaway
