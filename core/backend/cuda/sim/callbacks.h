#pragma once
#include <string>
#include <utility>
#include <vector>

namespace cutaway::cuda::sim {

// What the code of kernels may call beside the functions that all kernels may: collectives, the checks of checked code,
// the mathematical functions of the dialect.
std::vector<std::pair<std::string, void*>> kernel_callbacks();

} // namespace cutaway::cuda::sim
