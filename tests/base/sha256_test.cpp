#include "base/sha256.h"

#include <gtest/gtest.h>

namespace cutaway {
namespace {

// The examples that NIST gives for FIPS 180-4, and the message of no bytes.
TEST(Sha256, GivesThePublishedDigests) {
  EXPECT_EQ(hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hex(sha256("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu")),
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  EXPECT_EQ(hex(sha256(std::string(1'000'000, 'a'))), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// About the end of a block, where the length has to fit too.
TEST(Sha256, IsTheSameInPieces) {
  for (size_t n = 0; n < 200; ++n) {
    const std::string text(n, 'x');
    for (const size_t cut : {size_t(0), n / 3, n / 2, n}) {
      Sha256 hash;
      hash.add(std::string_view(text).substr(0, cut));
      hash.add(std::string_view(text).substr(cut));
      EXPECT_EQ(hash.digest(), sha256(text)) << n << " bytes, cut at " << cut;
    }
  }
}

} // namespace
} // namespace cutaway
