#pragma once
#include "base/disk_cache.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace cutaway::cpu {

// A kernel: works on the iterations [begin, end) of its outermost loop. `scratch` is private to the calling thread.
using KernelFn = void (*)(void* const* buffers, long begin, long end, void* scratch);

// C text (gnu11, no includes) that defines a function `symbol` of type KernelFn. Beside itself it may refer only to
// memcpy, memmove, memset, memcmp, the rounding functions of C (floorf, fmaf, ...) and libgcc's conversions.
//   strict  no contraction; no vectorising pragma changes the order of a floating-point reduction
//   neither contraction is free; reductions are reordered only where the text asks by a pragma, such as
//           `#pragma clang fp reassociate(on)` or `#pragma clang loop vectorize(enable)`
//   fast    also reassociation, reciprocals, and no signed zeros, everywhere; NaN and Inf are honoured
// strict wins where both are set.
struct KernelUnit {
  std::string symbol;
  std::string text;
  bool strict = false;
  bool fast = false;
};

// C++ text (C++20, no includes, exceptions or run-time types) that is compiled to an object and linked elsewhere.
struct CppUnit {
  std::string symbol; // names the unit in messages
  std::string text;
  bool contract = true; // fused multiply-add is free
  bool fast = false;    // as in KernelUnit
  bool checked = false; // each load and store calls a __tsan_ function before
};

// A kernel's machine code as text, in Intel syntax.
struct Assembly {
  std::string text;
  std::vector<int> lines; // one a line of it: the line of the unit's text that it comes from, from 1; 0: of none
};

struct CompilerConfig {
  std::string cache_dir;                 // empty: no disk cache
  int jobs = 2;                          // helper processes at most
  std::string helper_path;               // empty: $CUTAWAY_KERNELC, else cutaway-kernelc beside this program
  int timeout_ms = 30'000;               // for one kernel
  int64_t cache_limit_bytes = DiskCache::default_limit;
};

// Compiles kernels with Clang in helper processes (cutaway-kernelc) and links the objects into this one. Helpers start
// at the first cache miss, stay for later batches and end with the compiler. All members may be called from any thread.
class KernelCompiler {
 public:
  struct Compiled {
    KernelFn fn = nullptr;
    std::shared_ptr<const void> keep_alive; // owns the machine code; may outlive the compiler
    bool from_cache = false;                // from the disk or from code that this process still holds
    double compile_ms = 0;                  // time in Clang; 0 from a cache
    int64_t code_bytes = 0;                 // size of the object
  };

  // `unsupported` where this program was built without LLVM. An unusable cache directory is no error: see
  // cache_refusal().
  static Result<std::shared_ptr<KernelCompiler>> create(CompilerConfig config);
  virtual ~KernelCompiler() = default;

  // One result a unit, in order; equal units are compiled once and share code. A unit that cannot be compiled gives its
  // own diagnostic: `unsupported` with Clang's message (bad text, crash, fatal error, undefined symbol), `limit` after
  // the timeout or once `cancel` reads true, which kills the helpers at work. `progress` is called in this thread.
  virtual std::vector<Result<Compiled>>
  compile(std::span<const KernelUnit> units, const std::atomic<bool>* cancel = nullptr,
          const std::function<void(size_t done, size_t total)>& progress = {}) = 0;

  // The relocatable object of a unit, from the disk or from Clang; a function a section. Faults as in compile().
  virtual Result<std::string> object(const CppUnit& unit, const std::atomic<bool>* cancel = nullptr) = 0;

  // The code that compile() makes of the unit, as text; the same arguments but for the line table. Not cached.
  virtual Result<Assembly> assembly(const KernelUnit& unit, const std::atomic<bool>* cancel = nullptr) = 0;

  // Why the cache directory asked for is not used; ok where it is, or none was asked for.
  virtual Status cache_refusal() const = 0;

  // What code is made for: "x86_64-pc-linux-gnu znver5, LLVM 19.1.7". Goes into reports and tuning keys.
  virtual std::string target() const = 0;
};

} // namespace cutaway::cpu
