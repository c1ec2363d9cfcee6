#pragma once
#include "base/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cutaway {

// How free the compiler is with numbers (DESIGN.md section 5).
enum class Math {
  strict,  // compiled equals eager bit for bit: no contraction, one order of reduction
  normal,  // "default": fused multiply-add and order of reduction free
  fast,    // also reassociating rules and approximate functions, within a stated bound
};
const char* math_name(Math math); // "strict", "default", "fast"

// Whether a vendor's libraries may compute what they have a routine for.
enum class Libraries {
  off,
  measured, // "auto": where they are faster on the device that is there; never where times are modelled
  on,       // wherever they can
};

// Everything `--set K=V` may change. A compile is (graph, symbol bindings, settings).
struct Settings {
  Math math = Math::normal;
  bool forbid_breaks = false;          // breaks=allow|forbid
  std::string memory_strategy = "search";
  int64_t memory_limit = 0;            // bytes, 0: none
  std::vector<std::string> rewrite_order; // rule names tried first, in this order
  int streams = 4;                     // of a GPU, at most; one where more gain nothing
  int64_t fold_budget = 64 << 20;      // bytes one compile may add by folding
  std::vector<std::string> disabled_passes; // passes.off=a,b
  int cache_limit = 16;                // variants kept per segment, least recently used goes first
  bool capture = true;                 // capture=on|off: a GPU's launches are captured once and replayed
  Libraries libraries = Libraries::off; // libraries=off|auto|on: of a GPU, cuBLASLt for plain products and cuDNN for plain convolutions
  bool kernel_cache = true;            // cache=on|off: the disk cache of kernels

  // Sets one key; says which keys or values exist where it does not know one.
  Status set(const std::string& key, const std::string& value);
  // All keys with their present values, in a fixed order: hashed into cache keys, printed by `--json`.
  std::map<std::string, std::string> list() const;
};

} // namespace cutaway
