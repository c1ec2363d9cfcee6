#pragma once
#include "backend/cpu/jit/kernel_compiler.h"

#include <string_view>

namespace cutaway::cpu {

// What Clang printed, without what the assembler alone needs: labels and instructions stay, then constants; `.loc` directives
// say where instructions come from.
Assembly readable_assembly(std::string_view printed);

} // namespace cutaway::cpu
