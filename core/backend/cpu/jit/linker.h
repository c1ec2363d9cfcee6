#pragma once
#include "backend/cpu/jit/kernel_compiler.h"

#include <memory>
#include <span>
#include <string>
#include <utility>

namespace cutaway::cpu {

// The linked code of one kernel; frees it in its destructor.
class KernelCode {
 public:
  virtual ~KernelCode() = default;
  KernelFn fn() const { return reinterpret_cast<KernelFn>(address()); }
  virtual void* address() const = 0; // of the symbol
  virtual int64_t object_bytes() const = 0;
};

// Links relocatable objects into this process, each in a namespace of its own, so that symbols may collide.
// Thread-safe; code keeps the linker alive.
class Linker : public std::enable_shared_from_this<Linker> {
 public:
  using Symbol = std::pair<std::string, void*>;
  // Objects may use what kernels may call (see KernelUnit), and `more`.
  static Result<std::shared_ptr<Linker>> create(std::span<const Symbol> more = {});
  virtual ~Linker() = default;
  // `unsupported` where the object is none, does not define `symbol`, or needs a symbol that kernels may not use.
  virtual Result<std::shared_ptr<const KernelCode>> link(const std::string& symbol, std::string object) = 0;
};

} // namespace cutaway::cpu
