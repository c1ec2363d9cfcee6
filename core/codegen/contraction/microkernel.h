#pragma once
#include "codegen/contraction/ctext.h"

namespace cutaway::codegen {

// Defines, once a translation unit, the microkernel of `rows` x `vectors` and returns its name:
//   void NAME(long taps, long depth, const T* const* at, const T* b, long pitch, T* sums, long add, const char* next)
// For each of `taps` groups of `rows` pointers in `at`, takes `depth` consecutive elements behind each pointer; b
// advances by `pitch` elements a step. sums is [rows][columns], aligned; add: go on from it, else start from 0. One
// line behind `next` is prefetched every second step.
std::string print_microkernel(CText& out, Elem acc, int rows, int vectors, const Simd& simd);

} // namespace cutaway::codegen
