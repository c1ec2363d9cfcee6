#pragma once
#include "cli/verbs.h"

namespace cutaway::cli {

struct VerifyOptions {
  std::vector<std::string> paths, sets;
  double rtol = 1e-3, atol = 1e-5, timeout = 120;
  std::string mode = "compiled", device = "cpu";
  int jobs = 1, threads = 2;
  bool json = false;
};

// How one case ended.
struct CaseResult {
  std::string path, status; // passed, failed, unsupported, crashed, timeout
  int breaks = 0;
  std::string detail;
};

// Runs one folder of the ONNX test layout in this process.
CaseResult run_case(const std::string& folder, const VerifyOptions& options);

} // namespace cutaway::cli
