#include "passes/passes.h"

namespace cutaway::passes {
namespace {
constexpr PassRow rows[] = {
#define PASS(name, summary, needs, ensures) {#name, name, summary, needs, ensures},
#include "passes/passes.def"
#undef PASS
};
} // namespace

std::span<const PassRow> all_passes() { return rows; }

} // namespace cutaway::passes
