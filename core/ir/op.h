#pragma once
#include <cstdint>
#include <string>

namespace cutaway {

enum class Op : uint8_t {
#define OP(name, cls, least, most, outputs, summary) name,
#include "ir/ops.def"
#undef OP
};

enum class OpClass : uint8_t { leaf, elementwise, reduction, scan, view, injective, gather, scatter, contraction, window, opaque };

// One row of ops.def.
struct OpRow {
  Op op;
  const char* name;
  OpClass cls;
  int least_inputs, most_inputs, outputs;
  const char* summary;
};

const OpRow& op_row(Op op);
int op_count();
inline const char* op_name(Op op) { return op_row(op).name; }
inline OpClass op_class(Op op) { return op_row(op).cls; }
const char* op_class_name(OpClass cls);
bool parse_op(const std::string& name, Op& out);
inline bool is_elementwise(Op op) { return op_class(op) == OpClass::elementwise; }

} // namespace cutaway
