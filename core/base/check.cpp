#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace cutaway {
namespace {
thread_local const char* current_pass = "";
}

PassScope::PassScope(const char* name) : before_(current_pass) { current_pass = name; }
PassScope::~PassScope() { current_pass = before_; }
const char* PassScope::current() { return current_pass; }

void check_failed(const char* condition, const char* file, int line, const std::string& message) {
  const char* base = file;
  for (const char* p = file; *p; ++p)
    if (*p == '/') base = p + 1;
  std::fprintf(stderr, "cutaway: internal error%s%s: %s:%d: %s: %s\n", *current_pass ? " in pass " : "", current_pass,
               base, line, condition, message.c_str());
  std::abort();
}

} // namespace cutaway
