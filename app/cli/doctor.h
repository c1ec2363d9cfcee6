#pragma once
#include <string>
#include <vector>

namespace cutaway::cli {

// A device or library, and whether this machine has it.
struct Finding {
  std::string name; // "cpu"
  bool there = false;
  std::string words; // what it is, or why it is not there
};
std::vector<Finding> findings();

} // namespace cutaway::cli
