#pragma once
#include <string>

namespace cutaway {

// Names the pass (or phase) that runs in this thread, so that a failed check can say whose bug it is.
class PassScope {
 public:
  explicit PassScope(const char* name);
  ~PassScope();
  PassScope(const PassScope&) = delete;
  PassScope& operator=(const PassScope&) = delete;
  static const char* current();

 private:
  const char* before_;
};

[[noreturn]] void check_failed(const char* condition, const char* file, int line, const std::string& message);

} // namespace cutaway

// A bug in the compiler, never a fault of the input: prints the pass and the condition, then aborts.
#define CUTAWAY_CHECK(condition, message)                                                                              \
  do {                                                                                                                 \
    if (!(condition)) ::cutaway::check_failed(#condition, __FILE__, __LINE__, message);                                \
  } while (false)
