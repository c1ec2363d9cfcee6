#include "cli/case_runner.h"

#include "import/tensor_files.h"
#include "ir/eval.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

namespace cutaway::cli {
namespace {

namespace fs = std::filesystem;

// What case.json and expect_error.txt ask for.
struct Expectation {
  std::string error;                // expected kind, or empty
  std::vector<std::string> accept;  // kinds that are also an honest answer
  bool exact = false;
  double rtol, atol;
};

Expectation read_expectation(const fs::path& folder, const VerifyOptions& o) {
  Expectation e{{}, {}, false, o.rtol, o.atol};
  std::ifstream(folder / "expect_error.txt") >> e.error;
  std::ifstream file(folder / "case.json");
  if (!file) return e;
  const Json j = Json::parse(file, nullptr, false);
  if (!j.is_object()) return e;
  e.exact = j.value("compare", "") == "exact";
  if (j.value("compare", "") == "close") e.rtol = j.value("rtol", o.rtol), e.atol = j.value("atol", o.atol);
  if (j.contains("also_accept"))
    for (const Json& kind : j["also_accept"]) e.accept.push_back(kind.get<std::string>());
  return e;
}

// Files prefix_0.pb, prefix_1.pb, ... of a data set.
std::vector<fs::path> numbered(const fs::path& set, const std::string& prefix) {
  std::vector<fs::path> out;
  for (int i = 0; fs::exists(set / (prefix + std::to_string(i) + ".pb")); ++i) out.push_back(set / (prefix + std::to_string(i) + ".pb"));
  return out;
}

std::vector<fs::path> data_sets(const fs::path& folder) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().filename().string().rfind("test_data_set_", 0) == 0) out.push_back(entry.path());
  std::sort(out.begin(), out.end(), [](const fs::path& a, const fs::path& b) { return std::pair(a.string().size(), a.string()) < std::pair(b.string().size(), b.string()); });
  return out;
}

Result<driver::Feeds> read_feeds(const onnx::Model& model, const fs::path& set) {
  const auto inputs = driver::model_inputs(model);
  driver::Feeds feeds;
  std::vector<driver::InputInfo> open;
  for (const auto& i : inputs)
    if (!i.has_default) open.push_back(i);
  for (const auto& i : inputs)
    if (i.type->kind != onnx::ValueType::Kind::tensor) return unsupported("input '" + i.name + "'", "inputs of type " + onnx::type_text(*i.type));
  const auto files = numbered(set, "input_");
  for (size_t k = 0; k < files.size(); ++k) {
    std::string name;
    auto t = read_tensor_pb(files[k].string(), &name);
    if (!t) return t.error();
    const bool known = std::any_of(inputs.begin(), inputs.end(), [&](const auto& i) { return i.name == name; });
    if (!known) {
      if (k >= open.size()) return bad_input(files[k].string(), "the model has no input for it");
      name = open[k].name;
    }
    feeds[name] = std::move(*t);
  }
  return feeds;
}

Tensor cast(const Tensor& t, DType to) {
  const Type type{to, make_shape(t.dims())};
  return (*eval(Op::cast, {{"to", to}}, std::span(&t, 1), std::span(&type, 1)))[0];
}

// Why two tensors differ; empty where they agree.
std::string difference(const Tensor& got, const Tensor& want, const Expectation& e) {
  if (got.dtype() != want.dtype() || got.dims() != want.dims()) return "is " + got.type().str() + ", expected " + want.type().str();
  if (got.dtype() == DType::string) return got.strings() == want.strings() ? "" : "strings differ";
  const double rtol = got.dtype() == DType::bf16 ? std::max(e.rtol, 0x1p-6) : e.rtol;
  const DType wide = is_float(got.dtype()) ? DType::f64 : DType::i64;
  const Tensor a = cast(got, wide), b = cast(want, wide);
  for (int64_t i = 0; i < a.count(); ++i) {
    const double x = a.as_double(i), y = b.as_double(i);
    const bool both_nan = x != x && y != y;
    const bool same = e.exact ? both_nan || (a.as_double(i) == y && std::signbit(x) == std::signbit(y) && (is_float(got.dtype()) || a.as_int(i) == b.as_int(i)))
                              : both_nan || x == y || std::abs(x - y) <= e.atol + rtol * std::abs(y);
    if (!same) return "element " + std::to_string(i) + " is " + std::to_string(x) + ", expected " + std::to_string(y);
  }
  return "";
}

CaseResult judged(CaseResult r, const Diagnostic& d, const Expectation& e) {
  const std::string kind = fault_name(d.fault);
  r.detail = d.str();
  if (kind == e.error || std::find(e.accept.begin(), e.accept.end(), kind) != e.accept.end()) r.status = "passed";
  else if (d.fault == Fault::unsupported || d.fault == Fault::limit) r.status = "unsupported";
  else r.status = "failed";
  return r;
}

// What a data set wants; where it has no outputs, what the oracle gives, in the types of those that were got.
Result<std::vector<Tensor>> read_outputs(driver::Session& session, const fs::path& set, const driver::Feeds& feeds, const std::vector<Tensor>& got, CaseResult& r) {
  std::vector<Tensor> out;
  for (const fs::path& file : numbered(set, "output_")) {
    auto tensor = read_tensor_pb(file.string());
    if (!tensor) return tensor.error();
    out.push_back(std::move(*tensor));
  }
  if (!out.empty()) return out;
  r.detail = set.filename().string() + " has no outputs: compared with the float64 oracle";
  auto oracle = session.run(feeds, driver::Mode::oracle);
  if (!oracle) return oracle;
  for (size_t i = 0; i < oracle->size(); ++i)
    if (is_float(got[i].dtype())) (*oracle)[i] = cast((*oracle)[i], got[i].dtype());
  return oracle;
}

// Compares one data set; false (with the result filled in) where the case has ended.
bool run_set(driver::Session& session, const fs::path& set, driver::Mode mode, const Expectation& e, CaseResult& r) {
  auto feeds = read_feeds(session.model(), set);
  if (!feeds) return r = judged(r, feeds.error(), e), false;
  driver::RunInfo info;
  auto out = session.run(*feeds, mode, &info);
  r.breaks = std::max(r.breaks, static_cast<int>(info.breaks.size()));
  if (!out) return r = judged(r, out.error(), e), false;
  auto wanted = read_outputs(session, set, *feeds, *out, r);
  if (!wanted) return r = judged(r, wanted.error(), e), false;
  const auto names = session.output_names();
  if (wanted->size() > out->size()) return r.status = "failed", r.detail = set.filename().string() + " has " + std::to_string(wanted->size()) + " outputs, the model " + std::to_string(out->size()), false;
  for (size_t i = 0; i < wanted->size(); ++i) {
    const std::string why = difference((*out)[i], (*wanted)[i], e);
    if (!why.empty()) return r.status = "failed", r.detail = "output '" + names[i] + "' " + why, false;
  }
  if (mode != driver::Mode::compiled || session.options().settings.math != Math::strict) return true;
  auto eager = session.run(*feeds, driver::Mode::eager);
  if (!eager) return r = judged(r, eager.error(), e), false;
  for (size_t i = 0; i < out->size(); ++i) {
    Expectation bits = e;
    bits.exact = true;
    const std::string why = difference((*out)[i], (*eager)[i], bits);
    if (!why.empty()) return r.status = "failed", r.detail = "math=strict: compiled output '" + names[i] + "' is not what eager gives: " + why, false;
  }
  return true;
}

} // namespace

CaseResult run_case(const std::string& folder, const VerifyOptions& o) {
  CaseResult r{folder, "passed", 0, ""};
  const Expectation e = read_expectation(folder, o);
  ModelOptions m;
  m.sets = o.sets, m.threads = o.threads, m.device = o.device;
  auto options = m.session();
  if (!options) return judged(r, options.error(), {});
  driver::Mode mode = o.mode == "eager" ? driver::Mode::eager : o.mode == "oracle" ? driver::Mode::oracle : driver::Mode::compiled;
  auto session = driver::Session::open(folder + "/model.onnx", *options);
  if (!session) return judged(r, session.error(), e);
  auto sets = data_sets(folder);
  for (const fs::path& set : sets)
    if (!run_set(**session, set, mode, e, r)) return r;
  if (sets.empty()) {
    std::vector<std::string> notes;
    auto feeds = driver::make_feeds((*session)->model(), {}, {}, notes);
    if (!feeds) return judged(r, feeds.error(), e);
    if (auto out = (*session)->run(*feeds, mode); !out) return judged(r, out.error(), e);
  }
  if (!e.error.empty()) r.status = "failed", r.detail = "the diagnostic " + e.error + " was expected, none came";
  return r;
}

} // namespace cutaway::cli
