#pragma once
#include "driver/session.h"
#include "trace/tensor_facts.h"

namespace cutaway::driver {

// A value as a run on these feeds gives it.
struct Probe {
  Tensor tensor;
  std::string source; // TensorFacts::source
};

// A constant; else, in the first segment, what the compiled run writes to memory, or the reference evaluation of the compiled
// graph (a value inside a kernel never reaches memory); else what the eager run of the imported model makes. `unsupported`
// where none has it (a pass made it and another took it away); `limit` soon after *cancel became true. The session's last
// run must be compiled.
Result<Probe> probe(Session& session, const Feeds& feeds, size_t segment, ValueId value, const std::atomic<bool>* cancel = nullptr);

trace::TensorFacts facts_of(const Probe& probe);

} // namespace cutaway::driver
