#pragma once
#include "base/result.h"
#include "trace/document.h"

#include <atomic>
#include <string>

namespace cutaway::driver {

// Whether a file is a list of buffers to pack, by its ending: .csv (plan/pack/csv.h says the form).
bool is_packing(const std::string& path);

// A list of buffers, packed by one strategy, as a document: no graph, the steps of the packer, and the arena with every other
// strategy beside it. x of its arena: time from the first birth; where that is more than a million, the moments at which a
// buffer comes or goes. `limit` soon after *cancel became true.
Result<trace::Document> packing_document(const std::string& path, const std::string& strategy, const std::atomic<bool>* cancel = nullptr);

} // namespace cutaway::driver
