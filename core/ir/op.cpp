#include "ir/op.h"

namespace cutaway {
namespace {
constexpr OpRow rows[] = {
#define OP(name, cls, least, most, outputs, summary) {Op::name, #name, OpClass::cls, least, most, outputs, summary},
#include "ir/ops.def"
#undef OP
};
constexpr const char* class_names[] = {"leaf",   "elementwise", "reduction", "scan",        "view",   "injective",
                                       "gather", "scatter",     "contraction", "window", "opaque"};
} // namespace

const OpRow& op_row(Op op) { return rows[static_cast<int>(op)]; }
int op_count() { return static_cast<int>(std::size(rows)); }
const char* op_class_name(OpClass cls) { return class_names[static_cast<int>(cls)]; }

bool parse_op(const std::string& name, Op& out) {
  for (const OpRow& row : rows)
    if (name == row.name) return out = row.op, true;
  return false;
}

} // namespace cutaway
