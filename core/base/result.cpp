#include "base/result.h"

namespace cutaway {

const char* fault_name(Fault fault) {
  switch (fault) {
  case Fault::invalid_model: return "invalid-model";
  case Fault::bad_input: return "bad-input";
  case Fault::unsupported: return "unsupported";
  case Fault::limit: return "limit";
  }
  return "bad-input";
}

int exit_code(Fault fault) {
  switch (fault) {
  case Fault::unsupported: return 3;
  case Fault::limit: return 4;
  default: return 2;
  }
}

std::string Diagnostic::str() const {
  std::string s = where.empty() ? "" : where + ": ";
  s += std::string(fault_name(fault)) + ": " + what;
  if (!hint.empty()) s += " (" + hint + ")";
  return s;
}

} // namespace cutaway
