#pragma once
#include "import/onnx/context.h"

namespace cutaway::onnx {

// Reads a FunctionProto, checks its names and sorts its nodes; attribute references must name attributes that it has.
FunctionDef read_function(Message message, Context& context);

// Reads an OperatorSetIdProto; two versions of one domain are refused.
void read_opset(Message message, Opsets& out);

// Refuses two functions of one key, and functions that call each other in a circle (inlining them would not end).
void check_functions(const Model& model);

} // namespace cutaway::onnx
