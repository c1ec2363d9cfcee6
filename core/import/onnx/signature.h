#pragma once
#include <string>
#include <string_view>

namespace cutaway::onnx {

// What a file is that is no ONNX model, told from its first bytes ("a PNG picture"), and what to do; empty where
// nothing speaks against a model.
struct Signature {
  std::string what, hint;
};
Signature foreign_signature(std::string_view bytes);

} // namespace cutaway::onnx
