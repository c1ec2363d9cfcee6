#pragma once
#include "import/onnx/context.h"

namespace cutaway::onnx {

// Reads a TypeProto. A dim of -1, which some exporters write for "not known", is read as unknown with a warning; other
// negative dims are invalid-model.
ValueType read_type(Message message, Context& context);

} // namespace cutaway::onnx
