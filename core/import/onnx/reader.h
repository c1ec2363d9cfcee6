#pragma once
#include "base/result.h"
#include "import/onnx/model.h"

#include <memory>
#include <string>

namespace cutaway::onnx {

// Reads a model file (onnx.proto, ModelProto) with its external data. The file is mapped, weights are views into it, so
// the time goes with the number of nodes and names, not with the bytes of weights. The file is hostile until read:
// everything that model.h promises has been checked, within the limits of wire.h. Faults: bad-input (the file cannot be
// read), invalid-model (no ONNX model, damaged, or breaking ONNX's rules), limit. `where` names the node, initializer
// or function; the path is left to the caller. Element types and operators that Cutaway has not are no fault here.
Result<std::shared_ptr<const Model>> read_model(const std::string& path);

} // namespace cutaway::onnx
