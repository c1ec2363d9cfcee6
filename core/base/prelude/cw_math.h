#pragma once
// The embedded math library, whole: what the reference evaluator calls and what generated C kernels carry as text.
// See cw_types.h for the contract; tests/base/math_accuracy_test.cpp measures the errors in ulp.
#include "cw_erf.h"
#include "cw_exp.h"
#include "cw_f8.h"
#include "cw_half.h"
#include "cw_int.h"
#include "cw_log.h"
#include "cw_trig.h"
#include "cw_types.h"
