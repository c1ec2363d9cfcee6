#pragma once
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace cutaway::cuda {

// The rows of a table of tests/data/cuda: neither comments (#) nor the heading.
inline std::vector<std::vector<std::string>> read_rows(const std::string& name) {
  std::ifstream in(std::string(CUTAWAY_TEST_DATA "/cuda/") + name);
  std::vector<std::vector<std::string>> rows;
  bool heading = true;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with('#')) continue;
    std::vector<std::string> fields;
    std::istringstream split(line);
    for (std::string field; std::getline(split, field, ',');) fields.push_back(field);
    if (!heading) rows.push_back(fields);
    heading = false;
  }
  return rows;
}

} // namespace cutaway::cuda
