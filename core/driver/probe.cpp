#include "driver/probe.h"

#include "runtime/reference.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

namespace cutaway::driver {
namespace {

constexpr int64_t shown = 24;
constexpr int bins = 32;

std::optional<Probe> at_rest(const Graph& graph, ValueId v) {
  if (!graph.alive(v) || graph.producer(v).op != Op::constant) return {};
  return Probe{graph.producer(v).attrs.tensor("data"), "constant"};
}

// The one that a kernel of the first segment writes.
Result<std::optional<Probe>> from_compiled(const CompiledSegment& compiled, std::span<const Tensor> inputs, Session& session, ValueId wanted) {
  std::optional<Probe> out;
  auto made = compiled.executable->make_context(session.compiler().pool());
  if (!made) return made.error();
  const auto& context = *made;
  context->observe = [&](int, ValueId v, const Tensor& t) {
    if (v != wanted || out) return;
    Tensor copy(t.dtype(), t.dims());
    std::memcpy(copy.mutable_data(), t.aligned().data(), static_cast<size_t>(t.bytes()));
    out = Probe{std::move(copy), "compiled run"};
  };
  if (auto ran = compiled.executable->run(inputs, *context); !ran) return ran.error();
  return out;
}

// The compiled graph node by node: has what stays inside kernels, and what passes made.
Result<std::optional<Probe>> from_reference(const Graph& graph, std::span<const Tensor> inputs, ValueId value, const std::atomic<bool>* cancel) {
  std::optional<Probe> out;
  const auto keep = [&](ValueId v, const Tensor& t) {
    if (v == value) out = Probe{t, graph.producer(v).op == Op::param ? "input of the run" : "reference of the compiled graph"};
  };
  if (auto ran = runtime::run_reference(graph, inputs, {false, cancel, keep}); !ran) return ran.error();
  return out;
}

std::string element_text(const Tensor& t, int64_t i) {
  if (t.dtype() == DType::string) return t.strings()[static_cast<size_t>(i)];
  if (is_float(t.dtype())) return fmt::format("{:.6g}", t.as_double(i));
  return fmt::format("{}", t.as_int(i));
}

std::string dims_text(const std::vector<int64_t>& dims) { return fmt::format("[{}]", fmt::join(dims, ",")); }

void count(const Tensor& t, trace::TensorFacts& out) {
  out.least = INFINITY, out.greatest = -INFINITY;
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < t.count(); ++i) {
    const double v = t.as_double(i);
    out.zeros += v == 0, out.negative += v < 0, out.nan += std::isnan(v), out.infinite += std::isinf(v);
    if (!std::isfinite(v)) continue;
    out.least = std::min(out.least, v), out.greatest = std::max(out.greatest, v);
    sum += v;
  }
  const int64_t finite = t.count() - out.nan - out.infinite;
  if (finite == 0) return void(out.least = out.greatest = 0);
  out.mean = sum / static_cast<double>(finite);
  out.histogram.assign(out.least == out.greatest ? 1 : bins, 0);
  const double width = (out.greatest - out.least) / static_cast<double>(out.histogram.size());
  for (int64_t i = 0; i < t.count(); ++i) {
    const double v = t.as_double(i);
    if (!std::isfinite(v)) continue;
    squares += (v - out.mean) * (v - out.mean);
    const double bin = width > 0 ? (v - out.least) / width : 0;
    ++out.histogram[std::min(static_cast<size_t>(bin), out.histogram.size() - 1)];
  }
  out.deviation = std::sqrt(squares / static_cast<double>(finite));
}

} // namespace

Result<Probe> probe(Session& session, const Feeds& feeds, size_t segment, ValueId value, const std::atomic<bool>* cancel) {
  const std::string where = fmt::format("value {}", value.v);
  if (segment >= session.last_segments().size()) return bad_input(where, "the last run had no such segment");
  const auto compiled = session.last_segments()[segment];
  const auto imported = session.last_imported()[segment];
  for (const Graph* g : {&compiled->graph, &imported->graph})
    if (auto found = at_rest(*g, value)) return std::move(*found);
  if (segment == 0) {
    auto inputs = session.first_inputs(feeds);
    if (!inputs) return inputs.error();
    auto found = from_compiled(*compiled, *inputs, session, value);
    if (found && !*found && compiled->graph.alive(value)) found = from_reference(compiled->graph, *inputs, value, cancel);
    if (!found) return found.error();
    if (*found) return std::move(**found);
  }
  std::optional<Probe> out;
  if (imported->graph.alive(value)) {
    const auto keep = [&](size_t at, ValueId v, const Tensor& t) {
      if (at == segment && v == value) out = Probe{t, "eager run"};
    };
    auto ran = session.run(feeds, Mode::eager, nullptr, {cancel, keep});
    // The session's last run stays the compiled one.
    if (auto again = session.run(feeds, Mode::compiled, nullptr, {cancel, {}}); !again) return again.error();
    if (!ran) return ran.error();
  }
  if (out) return std::move(*out);
  return unsupported(where, "no run holds it: it is between passes", "look at it in the first or in the last step");
}

trace::TensorFacts facts_of(const Probe& probe) {
  const Tensor& t = probe.tensor;
  trace::TensorFacts out;
  out.dtype = dtype_name(t.dtype()), out.shape = dims_text(t.dims()), out.source = probe.source;
  out.elements = t.count(), out.bytes = t.bytes();
  out.numeric = t.dtype() != DType::string;
  for (int64_t i = 0; i < std::min(t.count(), shown); ++i) out.first.emplace_back(element_text(t, i));
  if (out.numeric) count(t, out);
  return out;
}

} // namespace cutaway::driver
