#include "import/onnx/reader.h"

#include "import/onnx/function_proto.h"
#include "import/onnx/graph_proto.h"
#include "import/onnx/signature.h"

#include <filesystem>

namespace fs = std::filesystem;

namespace cutaway::onnx {

namespace {

constexpr int64_t newest_ir_version = 14; // onnx 1.23

// What of a ModelProto has been met: decides whether a fault is that of a damaged model or of no model at all.
struct Progress {
  bool ir_version = false, graph = false;
};

void read_field(Message& m, Context& context, Model& model, Progress& met, std::vector<FreeName>& free) {
  switch (m.field()) {
  case 1: model.ir_version = m.integer(), met.ir_version = model.ir_version > 0; break;
  case 2: model.producer_name = m.text(); break;
  case 3: model.producer_version = m.text(); break;
  case 4: model.domain = m.text(); break;
  case 7:
    if (met.graph) refuse(invalid_model("", "the model has two graphs", "export the model again"));
    met.graph = true;
    model.graph = read_graph(m.message(), context, free);
    break;
  case 8: read_opset(m.message(), model.opsets); break;
  case 14: read_property(m.message(), context, model.metadata); break;
  case 25: model.functions.push_back(read_function(m.message(), context)); break;
  default: m.skip(); // doc_string, model_version, training_info, device configurations
  }
}

// Operators of the default domain mean nothing without the version of their set.
void settle_opsets(Model& model, const std::string& user, Context& context) {
  if (user.empty() || model.opsets.count("")) return;
  if (model.ir_version >= 3) {
    refuse(invalid_model("", "the model imports no version of the default operator set, which " + user + " needs",
                         "add an opset_import of domain \"\" with the version that it was exported for"));
  }
  model.opsets[""] = 1;
  context.warn("the model imports no operator set; version 1 is assumed, as IR version " +
               std::to_string(model.ir_version) + " has it");
}

// Functions import for themselves; one that forgets the default domain has the model's version.
void settle_functions(Model& model, const std::vector<std::string>& users, Context& context) {
  for (size_t i = 0; i < model.functions.size(); ++i) {
    if (users[i].empty() || model.functions[i].opsets.count("")) continue;
    settle_opsets(model, users[i], context);
    model.functions[i].opsets[""] = model.opsets[""];
  }
}

std::shared_ptr<const Model> parse(const MappedFile& file, Context& context, Progress& met) {
  auto model = std::make_shared<Model>();
  std::vector<FreeName> free;
  std::string graph_user; // the first node that needs the default domain: of the graph, of each function
  std::vector<std::string> function_users;
  Message m(file.text());
  while (m.next()) {
    context.default_domain_user.clear();
    const uint32_t field = m.field(); // reading forgets it
    read_field(m, context, *model, met, free);
    if (field == 7) graph_user = context.default_domain_user;
    if (field == 25) function_users.push_back(context.default_domain_user);
  }
  if (!met.ir_version) refuse(invalid_model("", "the model has no IR version"));
  if (!met.graph) refuse(invalid_model("", "the model has no graph"));
  refuse_free(free);
  settle_opsets(*model, graph_user, context);
  settle_functions(*model, function_users, context);
  check_functions(*model);
  if (model->ir_version > newest_ir_version) {
    context.warn("the model has IR version " + std::to_string(model->ir_version) + ", newer than " +
                 std::to_string(newest_ir_version) + ", the newest known: parts of it may be ignored");
  }
  model->path = file.path();
  model->warnings = std::move(context.warnings);
  model->files = std::move(context.files);
  return model;
}

Diagnostic no_model(const std::string& why, const std::string& hint = {}) {
  return invalid_model("", "this is not an ONNX model: " + why, hint.empty() ? "give a .onnx file" : hint);
}

} // namespace

Result<std::shared_ptr<const Model>> read_model(const std::string& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error) && fs::file_size(path, error) == 0 && !error)
    return no_model("the file is empty", "fetch or export it again");
  auto file = MappedFile::open(path);
  if (!file) return file.error();
  const Signature foreign = foreign_signature((*file)->text());
  if (!foreign.what.empty()) return no_model("it is " + foreign.what, foreign.hint);

  Context context;
  context.file = *file;
  context.files.push_back(*file);
  const fs::path parent = fs::path(path).parent_path();
  context.folder = parent.empty() ? "." : parent.string();
  Progress met;
  auto model = guarded<std::shared_ptr<const Model>>(**file, [&] { return parse(**file, context, met); });
  if (!model && !met.ir_version && model.error().fault == Fault::invalid_model) return no_model(model.error().what);
  return model;
}

} // namespace cutaway::onnx
