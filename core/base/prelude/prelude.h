#pragma once
#include <string>

namespace cutaway {

// The embedded math library (cw_math.h) as C text: gnu11, no includes, comments stripped; generated at build time from
// the very headers that the reference evaluator includes. A kernel that carries it gives the reference's bits when
// compiled with -ffp-contract=off and without -ffast-math.
const char* prelude_text();

// The part of prelude_text() that `kernel_text` needs: the sections that define a cw_ or CW_ name occurring in it, and
// those that these need, in the order of the whole. The cw_ integer types are always there. Deterministic.
std::string prelude_for(const std::string& kernel_text);

// The sections of cw_device.h, which stand in for those of the same name where the kernel runs on a device.
const char* device_prelude_text();

// As prelude_for, of the library as device kernels carry it: the functions are CW_FN of the kernel dialect.
std::string device_prelude_for(const std::string& kernel_text);

} // namespace cutaway
