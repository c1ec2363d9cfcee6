#pragma once
#include "ir/infer.h"

namespace cutaway::infer_rules {

// What one rule sees.
struct Args {
  Op op;
  std::span<const Type> in;
  const Attrs& attrs;

  std::string where() const { return op_name(op); }
  Diagnostic bad(std::string what) const { return invalid_model(where(), std::move(what)); }
};
using Types = Result<std::vector<Type>>;

Types elementwise(const Args& a);
Types reduction(const Args& a);
Types movement(const Args& a); // reshape permute broadcast slice pad concat
Types indexed(const Args& a);  // gather* scatter* topk
Types contraction(const Args& a);
Types window(const Args& a);
Types recurrent(const Args& a);

// Reads `axis` (0..rank-1) from the attribute of that name.
Result<int64_t> axis_of(const Args& a, size_t rank);
// A list attribute with exactly `length` entries.
Status check_list(const Args& a, const char* name, size_t length);

} // namespace cutaway::infer_rules
