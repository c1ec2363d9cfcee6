#include "import/onnx/context.h"

#include <algorithm>

namespace cutaway::onnx {

void Context::charge_structs(size_t bytes) {
  struct_bytes += bytes;
  if (struct_bytes > max_struct_bytes) {
    refuse(over_limit("",
                      "the model has so many nodes, names and attributes that their list takes over " +
                          std::to_string(max_struct_bytes >> 30) + " GiB",
                      "split the model"));
  }
}

void Context::charge_decoded(size_t bytes) {
  if (bytes > max_decoded_bytes - decoded_bytes) {
    refuse(over_limit("",
                      "the tensors that must be decoded take over " + std::to_string(max_decoded_bytes >> 30) + " GiB",
                      "store weights as raw_data or external data of 8-bit or wider types"));
  }
  decoded_bytes += bytes;
}

void Context::warn(std::string sentence) {
  constexpr size_t most = 50;
  if (warnings.size() < most && std::find(warnings.begin(), warnings.end(), sentence) == warnings.end())
    warnings.push_back(std::move(sentence));
}

} // namespace cutaway::onnx
