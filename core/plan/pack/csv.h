#pragma once
#include "base/result.h"
#include "plan/pack/problem.h"

#include <string_view>

namespace cutaway::plan {

// Reads MiniMalloc's CSV form (github google/minimalloc, `benchmarks/` and its converter): a header line, then a line a
// buffer. Columns, in any order:
//   id | buffer | buffer_id    a string, unique
//   lower | start | begin      first time of life
//   upper                      first time after its life (half-open);  or  end: last time of life, inclusive
//   size                       bytes
//   alignment                  optional, empty or 0: 1
//   gaps                       optional, separated by blanks: `from-to` (idle) or `from-to@low:high` (that window in
//   use) hint                       optional, ignored offset                     optional, must be empty: a fixed
//   position is unsupported
// Errors name the line, as "line 7".
Result<Problem> read_csv(std::string_view text);

} // namespace cutaway::plan
