#pragma once
#include "base/result.h"

#include <nlohmann/json.hpp>

namespace cutaway::trace::file {

enum class Record { index, chunk, panel };

// Brings one record of a document of an older schema to the present one. A document of a later schema is unsupported.
// For each past schema tests/data keeps a document. Schema 1 is the first.
Status migrate(const std::string& path, Record record, nlohmann::json& value, int from);

} // namespace cutaway::trace::file
