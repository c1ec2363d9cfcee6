#pragma once
#include <string>
#include <vector>

namespace cutaway::cuda {

// Where a library of the toolkit may lie: in `cuda_path`, in CUTAWAY_CUDA_PATH, where the linker looks, in the usual folder.
std::vector<std::string> library_candidates(const std::vector<std::string>& names, const std::string& cuda_path);

// The first that can be opened, for good: NVIDIA's libraries do not survive being unloaded. Null: none can.
void* open_first(const std::vector<std::string>& candidates, std::string& opened);

} // namespace cutaway::cuda
