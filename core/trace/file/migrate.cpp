#include "trace/file/migrate.h"

#include "trace/file/document_file.h"

namespace cutaway::trace::file {
namespace {

// A timeline was one run, its lanes were names.
void one_run_to_runs(Record record, nlohmann::json& j) {
  if (record != Record::panel || !j.is_object() || !j.contains("kind") || j["kind"] != "timeline" || !j.contains("panel") || !j["panel"].is_object()) return;
  nlohmann::json& panel = j["panel"];
  nlohmann::json run = nlohmann::json::object();
  for (const char* key : {"modelled", "lanes", "spans", "flows"})
    if (const auto found = panel.find(key); found != panel.end()) {
      run[key] = std::move(*found);
      panel.erase(found);
    }
  if (run.contains("lanes") && run["lanes"].is_array())
    for (nlohmann::json& lane : run["lanes"])
      if (lane.is_string()) lane = {{"name", lane}, {"kind", lane.get_ref<const std::string&>().starts_with("host") ? "host" : "work"}};
  panel["runs"] = nlohmann::json::array({std::move(run)});
}

// migrations[n] leads from schema n + 1 to n + 2.
using Migration = void (*)(Record, nlohmann::json&);
constexpr std::array<Migration, schema - 1> migrations{one_run_to_runs};

} // namespace

Status migrate(const std::string& path, Record record, nlohmann::json& value, int from) {
  if (from < 1) return invalid_model(path, "schema: the document does not say its schema", "save the document again from the model");
  if (from > schema)
    return unsupported(path, "schema: the document has schema " + std::to_string(from) + ", this Cutaway reads up to " + std::to_string(schema), "open it with a newer Cutaway");
  for (auto step = static_cast<size_t>(from) - 1; step < migrations.size(); ++step) migrations[step](record, value);
  return {};
}

} // namespace cutaway::trace::file
