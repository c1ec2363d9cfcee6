#pragma once
#include "import/onnx/context.h"

namespace cutaway::onnx {

// Where a tensor's bytes lie outside of the model file (TensorProto.external_data).
struct ExternalData {
  std::string location; // relative to the model's folder
  int64_t offset = 0;
  int64_t length = -1; // -1: not given
};

// Reads one entry of external_data (StringStringEntryProto).
void read_external_entry(Message entry, ExternalData& out);

// The `expected` bytes that it names, and their file, which stays mapped once per model. Refused as invalid-model where
// the location is absolute, has a "..", or resolves (through symbolic links too) to a place outside of the model's
// folder, and where offset and length do not fit the file or the tensor; bad-input where the file cannot be read.
struct ExternalView {
  const std::byte* data = nullptr;
  std::shared_ptr<const MappedFile> file;
};
ExternalView map_external(const ExternalData& external, int64_t expected, Context& context);

} // namespace cutaway::onnx
