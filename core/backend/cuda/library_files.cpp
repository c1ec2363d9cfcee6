#include "backend/cuda/library_files.h"

#include <cstdlib>
#include <dlfcn.h>

namespace cutaway::cuda {

std::vector<std::string> library_candidates(const std::vector<std::string>& names, const std::string& cuda_path) {
  std::vector<std::string> folders;
  const char* named = std::getenv("CUTAWAY_CUDA_PATH");
  for (const std::string& root : {cuda_path, std::string(named ? named : "")})
    if (!root.empty()) folders.insert(folders.end(), {root + "/", root + "/lib64/", root + "/lib/"});
  folders.insert(folders.end(), {"", "/usr/local/cuda/lib64/"});
  std::vector<std::string> candidates;
  for (const std::string& folder : folders)
    for (const std::string& name : names) candidates.push_back(folder + name);
  return candidates;
}

void* open_first(const std::vector<std::string>& candidates, std::string& opened) {
  for (const std::string& name : candidates)
    if (void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      opened = name;
      return library;
    }
  return nullptr;
}

} // namespace cutaway::cuda
