#pragma once
#include "base/result.h"

#include <dlfcn.h>
#include <string>
#include <vector>

namespace cutaway::cuda {

// Where a library of the toolkit may lie: in `cuda_path`, in CUTAWAY_CUDA_PATH, where the linker looks, in the usual folder.
std::vector<std::string> library_candidates(const std::vector<std::string>& names, const std::string& cuda_path);

// The first that can be opened, for good: NVIDIA's libraries do not survive being unloaded. Null: none can.
void* open_first(const std::vector<std::string>& candidates, std::string& opened);

struct LibraryFiles {
  std::string name; // "cuDNN"
  std::vector<std::string> files; // the best first
  std::string versions;           // that have every entry: "8 or 9"
};
// Opens it and fills a table of its entries: `each` gets what it must call with the name and the field of each of them.
// `unsupported` where it is not found or lacks one.
template <class Each> Status load_library(const LibraryFiles& of, const std::string& cuda_path, Each&& each) {
  std::string opened, missing;
  void* library = open_first(library_candidates(of.files, cuda_path), opened);
  if (!library) return unsupported(of.name, "it is not found (" + of.files.front() + ")", "install " + of.name + " " + of.versions + ", or name the toolkit's folder in CUTAWAY_CUDA_PATH");
  each([&](const char* name, auto& field) {
    field = reinterpret_cast<std::remove_reference_t<decltype(field)>>(dlsym(library, name));
    if (!field && missing.empty()) missing = name;
  });
  if (!missing.empty()) return unsupported(of.name, opened + " has no " + missing, "install " + of.name + " " + of.versions);
  return {};
}

} // namespace cutaway::cuda
