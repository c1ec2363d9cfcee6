#include "trace/file/migrate.h"

#include "trace/file/document_file.h"

namespace cutaway::trace::file {
namespace {

// migrations[n] leads from schema n + 1 to n + 2.
using Migration = void (*)(Record, nlohmann::json&);
constexpr std::array<Migration, schema - 1> migrations{};

} // namespace

Status migrate(const std::string& path, Record record, nlohmann::json& value, int from) {
  if (from < 1) return invalid_model(path, "schema: the document does not say its schema", "save the document again from the model");
  if (from > schema)
    return unsupported(path, "schema: the document has schema " + std::to_string(from) + ", this Cutaway reads up to " + std::to_string(schema), "open it with a newer Cutaway");
  for (auto step = static_cast<size_t>(from) - 1; step < migrations.size(); ++step) migrations[step](record, value);
  return {};
}

} // namespace cutaway::trace::file
