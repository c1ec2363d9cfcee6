#include "driver/session.h"

#include "base/clock.h"
#include "import/mapped_file.h"
#include "import/onnx/reader.h"
#include "ir/text.h"
#include "runtime/reference.h"

#include <algorithm>

namespace cutaway::driver {
namespace {

// A value the oracle carries as f64, in the dtype that the graph declares.
Tensor as_declared(const Tensor& t, const Type& type) {
  if (t.dtype() == type.dtype) return t;
  const Type to{type.dtype, make_shape(t.dims())};
  auto out = eval(Op::cast, {{"to", type.dtype}}, std::span(&t, 1), std::span(&to, 1));
  return out ? (*out)[0] : t;
}

} // namespace

const char* mode_name(Mode mode) {
  switch (mode) {
  case Mode::compiled: return "compiled";
  case Mode::eager: return "eager";
  case Mode::oracle: return "oracle";
  }
  return "compiled";
}

// All values of one run, by name, with the types that the model gives them.
struct Session::Values {
  struct Entry {
    Tensor tensor;   // what the run holds (f64 for floats under the oracle)
    Tensor declared; // in the declared dtype, for specialising
    Type type;
    bool computed = false;
  };
  std::map<std::string, Entry> by_name;

  void put(const std::string& name, Tensor t, const Type& type, bool computed) {
    Entry& e = by_name[name];
    e = {t, as_declared(t, type), type, computed};
  }
  onnx::Env env() const {
    onnx::Env env;
    for (const auto& [name, e] : by_name) env[name] = {e.type, &e.declared, e.computed};
    return env;
  }
};

struct Session::Variant {
  std::shared_ptr<onnx::Segment> segment;
  std::shared_ptr<const VariantKey> key;
  std::shared_ptr<const CompiledSegment> compiled;
  std::unique_ptr<runtime::RunContext> context;
  std::shared_ptr<Stage> next;
  uint64_t used = 0;

  bool fits(const Values& values) const {
    for (const auto& [name, type] : key->types) {
      const auto it = values.by_name.find(name);
      if (it == values.by_name.end() || !(it->second.type == type)) return false;
    }
    for (const auto& [name, t] : key->values)
      if (!values.by_name.at(name).declared.same_bits(t)) return false;
    return true;
  }
};

struct Session::Stage {
  std::vector<onnx::WorkNode> nodes;
  std::vector<std::unique_ptr<Variant>> variants;
  uint64_t clock = 0;
};

Session::Session(std::shared_ptr<const onnx::Model> model, Options options, std::shared_ptr<const cuda::Device> device)
    : options_(std::move(options)), program_(std::move(model)), first_(std::make_shared<Stage>()),
      compiler_(std::make_unique<Compiler>(options_.settings, options_.threads, options_.watch, std::move(device))) {
  first_->nodes = program_.nodes();
}
Session::~Session() = default;

Result<std::unique_ptr<Session>> Session::open(const std::string& path, Options options) {
  std::shared_ptr<const cuda::Device> device; // null: the CPU
  if (options.device != "cpu") {
    auto opened = cuda::Device::open(options.device);
    if (!opened) return opened.error();
    device = std::move(*opened);
  }
  if (path.size() > 4 && path.compare(path.size() - 4, 4, ".cut") == 0) return open_text(path, std::move(options), std::move(device));
  auto model = onnx::read_model(path);
  if (!model) return model.error();
  return std::unique_ptr<Session>(new Session(std::move(*model), std::move(options), std::move(device)));
}

Result<std::unique_ptr<Session>> Session::open_text(const std::string& path, Options options, std::shared_ptr<const cuda::Device> device) {
  auto file = MappedFile::open(path);
  if (!file) return file.error();
  auto graph = parse_graph(std::string(reinterpret_cast<const char*>((*file)->data()), (*file)->size()));
  if (!graph) return graph.error();
  for (NodeId id : graph->order())
    for (ValueId v : graph->node(id).outputs)
      if (!is_static(graph->type(v).shape)) return unsupported("n" + std::to_string(id.v), "the symbolic extents " + shape_str(graph->type(v).shape) + " of a text", "write numbers");
  auto model = std::make_shared<onnx::Model>();
  model->path = path;
  model->graph.name = graph->name;
  const auto declare = [&](std::vector<onnx::ValueInfo>& list, const std::string& name, const Type& type) {
    onnx::ValueType t{onnx::ValueType::Kind::tensor, type.dtype, std::vector<onnx::DimSpec>{}, nullptr};
    for (int64_t d : static_dims(type.shape)) t.shape->push_back({onnx::DimSpec::Kind::value, d, {}});
    list.push_back({name, t});
  };
  for (NodeId p : graph->params()) {
    const Value& v = graph->value(graph->node(p).outputs[0]);
    declare(model->graph.inputs, v.name.empty() ? "%" + std::to_string(v.id.v) : v.name, v.type);
  }
  for (const GraphOutput& o : graph->outputs()) declare(model->graph.outputs, o.name, graph->type(o.value));
  auto session = std::unique_ptr<Session>(new Session(model, std::move(options), std::move(device)));
  session->text_ = std::make_shared<const Graph>(std::move(*graph));
  return session;
}

const onnx::Model& Session::model() const { return program_.model(); }

std::vector<std::string> Session::output_names() const {
  std::vector<std::string> out;
  for (const onnx::ValueInfo& v : model().graph.outputs) out.push_back(v.name);
  return out;
}

Result<std::vector<Tensor>> Session::first_inputs(const Feeds& feeds) const {
  std::vector<Tensor> inputs;
  if (last_imported_.empty()) return inputs;
  for (const std::string& name : last_imported_[0]->inputs) {
    const auto it = feeds.find(name);
    const Tensor* t = it != feeds.end() ? &it->second : program_.constant(name);
    if (!t) return bad_input("input '" + name + "'", "nothing gives it");
    inputs.push_back(*t);
  }
  return inputs;
}

Result<Session::Variant*> Session::variant_for(Stage& stage, const Values& values) {
  for (auto& v : stage.variants)
    if (v->fits(values)) return v->used = ++stage.clock, v.get();
  auto v = std::make_unique<Variant>();
  if (text_) {
    v->segment = std::make_shared<onnx::Segment>();
    v->segment->graph = *text_;
    for (const InputInfo& i : model_inputs(model())) v->segment->inputs.push_back(i.name);
    v->segment->outputs = output_names();
  } else {
    auto segment = program_.lower(stage.nodes, values.env(), output_names());
    if (!segment) return segment.error();
    v->segment = std::make_shared<onnx::Segment>(std::move(*segment));
  }
  auto key = std::make_shared<VariantKey>();
  for (const std::string& name : v->segment->inputs) key->types.emplace_back(name, values.by_name.at(name).type);
  for (const std::string& name : v->segment->value_guards) key->values.emplace_back(name, values.by_name.at(name).declared);
  v->key = std::move(key);
  v->used = ++stage.clock;
  if (stage.variants.size() >= static_cast<size_t>(options_.settings.cache_limit)) {
    auto oldest = std::min_element(stage.variants.begin(), stage.variants.end(), [](const auto& a, const auto& b) { return a->used < b->used; });
    stage.variants.erase(oldest);
  }
  stage.variants.push_back(std::move(v));
  return stage.variants.back().get();
}

Status Session::prepare(Variant& v, RunInfo& info) {
  if (v.context) return v.compiled->executable->hold(*v.context);
  const double start = now_ms();
  if (!v.compiled) {
    auto compiled = compiler_->compile(v.segment->graph, options_.journal);
    if (!compiled) return compiled.error();
    v.compiled = *compiled;
    ++info.variants_compiled;
  }
  auto context = v.compiled->executable->make_context(compiler_->pool());
  if (!context) return context.error();
  v.context = std::move(*context);
  info.compile_ms += now_ms() - start;
  return {};
}

bool Session::give_back(const Variant& all_but, Room room) {
  bool any = false;
  std::vector<Stage*> stages{first_.get()};
  while (!stages.empty()) {
    const Stage* stage = stages.back();
    stages.pop_back();
    for (const auto& v : stage->variants) {
      if (v->next) stages.push_back(v->next.get());
      if (v.get() == &all_but || !v->compiled) continue;
      any = true;
      if (room == Room::all) v->context.reset(), v->compiled.reset();
      else if (v->context) v->context->release();
    }
  }
  return any;
}

Status Session::make_ready(Variant& v, RunInfo& info) {
  Status made = prepare(v, info);
  for (const Room room : {Room::runs, Room::all})
    if (!made && made.error().fault == Fault::limit && options_.device != "cpu" && give_back(v, room)) made = prepare(v, info);
  return made;
}

Result<std::vector<Tensor>> Session::execute(Variant& v, std::span<const Tensor> inputs, const How& how) {
  RunInfo& info = how.info;
  const Graph& imported = v.segment->graph;
  if (how.mode != Mode::compiled) {
    const double start = now_ms();
    runtime::ReferenceOptions options{.oracle = how.mode == Mode::oracle, .cancel = how.hooks.cancel, .observe = {}};
    if (how.hooks.observe) options.observe = [&](ValueId value, const Tensor& t) { how.hooks.observe(last_imported_.size() - 1, value, t); };
    auto out = runtime::run_reference(imported, inputs, options);
    info.run_ms += now_ms() - start;
    return out;
  }
  if (Status s = make_ready(v, info); !s) return s.error();
  const double start = now_ms();
  auto out = v.compiled->executable->run(inputs, *v.context);
  info.run_ms += now_ms() - start;
  const runtime::Executable& e = *v.compiled->executable;
  info.peak_arena_bytes = std::max(info.peak_arena_bytes, e.arena_bytes());
  info.lower_bound_bytes = std::max(info.lower_bound_bytes, e.lower_bound_bytes());
  info.kernels += e.kernel_count();
  info.launches += e.launch_count();
  info.steps += static_cast<int64_t>(v.compiled->journal.events().size());
  last_.push_back(v.compiled);
  return out;
}

Status Session::run_stage(Variant& v, Values& values, const How& how) {
  const onnx::Segment& s = *v.segment;
  last_imported_.push_back(v.segment);
  if (s.outputs.empty()) return {};
  std::vector<Tensor> inputs;
  for (const std::string& name : s.inputs) inputs.push_back(values.by_name.at(name).tensor);
  auto out = execute(v, inputs, how);
  if (!out) return out.error();
  ++how.info.segments;
  for (size_t i = 0; i < s.outputs.size(); ++i)
    values.put(s.outputs[i], (*out)[i], s.graph.type(s.graph.outputs()[i].value), true);
  return {};
}

VariantSet Session::variants_of(const Stage& stage, const Variant& ran) {
  VariantSet out;
  for (const auto& v : stage.variants) {
    if (v.get() == &ran) out.ran = out.kept.size();
    out.kept.push_back(v->key);
  }
  return out;
}

Result<Session::Stage*> Session::next_stage(Variant& v) {
  const onnx::Segment& s = *v.segment;
  if (s.outputs.empty()) { // nothing was lowered: what comes first cannot be
    const onnx::Deferred& d = s.rest.front();
    return unsupported(d.work.node->label(), d.reason, d.cause == onnx::BreakCause::unknown_op ? "`cutaway ops` lists what is known" : "");
  }
  if (!v.next) {
    v.next = std::make_shared<Stage>();
    for (const onnx::Deferred& d : s.rest) v.next->nodes.push_back(d.work);
  }
  return v.next.get();
}

Result<std::vector<Tensor>> Session::run(const Feeds& feeds, Mode mode, RunInfo* given, const Hooks& hooks) {
  RunInfo scratch;
  RunInfo& info = given ? *given : scratch;
  if (Status s = check_feeds(model(), feeds); !s) return s.error();
  last_.clear();
  last_imported_.clear();
  last_variants_.clear();
  Values values;
  for (const InputInfo& input : model_inputs(model())) {
    const auto it = feeds.find(input.name);
    const Tensor* t = it != feeds.end() ? &it->second : program_.constant(input.name);
    if (!t) return bad_input("input '" + input.name + "'", "its default cannot be used: " + program_.unreadable(input.name));
    const Type type = t->type();
    values.put(input.name, *t, type, false);
    if (mode == Mode::oracle) values.by_name[input.name].tensor = to_oracle(*t);
  }
  Stage* stage = first_.get();
  while (stage) {
    if (hooks.cancel && hooks.cancel->load()) return over_limit("", "cancelled");
    auto variant = variant_for(*stage, values);
    if (!variant) return variant.error();
    Variant& v = **variant;
    for (const onnx::Deferred& d : v.segment->rest) {
      if (!d.first) continue;
      info.breaks.push_back({d.work.node->label(), onnx::break_cause_name(d.cause), d.reason});
      if (options_.settings.forbid_breaks && mode == Mode::compiled)
        return unsupported(d.work.node->label(), "a graph break (" + info.breaks.back().cause + "): " + d.reason, "allow breaks with --set breaks=allow");
    }
    if (Status s = run_stage(v, values, {mode, info, hooks}); !s) return s.error();
    if (last_variants_.size() < last_.size()) last_variants_.push_back(variants_of(*stage, v));
    if (v.segment->rest.empty()) break;
    auto next = next_stage(v);
    if (!next) return next.error();
    stage = *next;
  }
  std::vector<Tensor> out;
  for (const std::string& name : output_names()) {
    if (const auto it = values.by_name.find(name); it != values.by_name.end()) {
      out.push_back(it->second.tensor);
    } else if (const Tensor* t = program_.constant(name)) {
      out.push_back(mode == Mode::oracle ? to_oracle(*t) : *t);
    } else {
      return invalid_model("output '" + name + "'", "nothing gives it");
    }
  }
  return out;
}

} // namespace cutaway::driver
