#include "driver/drift.h"

#include "runtime/reference.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace cutaway::driver {

double drift_of(const Tensor& t, const Tensor& oracle) {
  double worst = 0;
  const int digits = t.dtype() == DType::f64 ? 53 : t.dtype() == DType::f32 ? 24 : t.dtype() == DType::f16 ? 11 : 8;
  double scale = 0;
  for (int64_t i = 0; i < oracle.count(); ++i)
    if (std::isfinite(oracle.as_double(i))) scale = std::max(scale, std::abs(oracle.as_double(i)));
  // Against the largest element: an error of a cancelled small one is no drift of the kernel.
  const double unit = is_float(t.dtype()) ? std::ldexp(1.0, std::ilogb(std::max(scale, 1e-300)) - digits + 1) : 1;
  for (int64_t i = 0; i < t.count(); ++i) {
    const double a = t.as_double(i), b = oracle.as_double(i);
    if (a == b || (a != a && b != b)) continue;
    worst = std::max(worst, std::abs(a - b) / unit);
  }
  return worst;
}

namespace {

using Values = std::map<uint32_t, Tensor>;

// The values of a graph that kernels write, in one mode of the eager path.
Result<Values> reference_values(const Graph& g, std::span<const Tensor> inputs, bool oracle, const std::set<uint32_t>& wanted, const std::atomic<bool>* cancel) {
  Values values;
  const auto keep = [&](ValueId v, const Tensor& t) {
    if (wanted.contains(v.v)) values[v.v] = t;
  };
  auto out = runtime::run_reference(g, inputs, {.oracle = oracle, .cancel = cancel, .observe = keep});
  if (!out) return out.error();
  return values;
}

Status add_places(Session& session, const Feeds& feeds, const std::atomic<bool>* cancel, Drift& drift) {
  if (session.last_segments().empty()) return {};
  auto inputs = session.first_inputs(feeds);
  if (!inputs) return inputs.error();
  const Graph& imported = session.last_imported()[0]->graph;
  const CompiledSegment& compiled = *session.last_segments()[0];
  const runtime::Executable& e = *compiled.executable;
  std::set<uint32_t> wanted;
  for (const codegen::Kernel& k : e.kernels())
    for (ValueId v : k.writes) wanted.insert(v.v);
  auto eager = reference_values(imported, *inputs, false, wanted, cancel);
  if (!eager) return eager.error();
  auto oracle = reference_values(imported, *inputs, true, wanted, cancel);
  if (!oracle) return oracle.error();
  auto context = e.make_context(session.compiler().pool());
  context->observe = [&](int kernel, ValueId v, const Tensor& t) {
    const auto a = eager->find(v.v), b = oracle->find(v.v);
    if (a == eager->end() || b == oracle->end() || a->second.dims() != t.dims() || t.dtype() == DType::string) return;
    const NodeId producer = compiled.graph.value(v).producer;
    drift.places.push_back({{drift_of(a->second, b->second), drift_of(t, b->second), t.same_bits(a->second)}, kernel, e.kernels()[static_cast<size_t>(kernel)].name,
                            compiled.graph.model_name(producer), v, producer});
  };
  auto out = e.run(*inputs, *context);
  return out ? Status() : Status(out.error());
}

} // namespace

Result<Drift> measure_drift(Session& session, const Feeds& feeds, const std::atomic<bool>* cancel) {
  std::vector<std::vector<Tensor>> results;
  for (Mode m : {Mode::oracle, Mode::eager, Mode::compiled}) {
    auto out = session.run(feeds, m, nullptr, cancel);
    if (!out) return out.error();
    results.push_back(std::move(*out));
  }
  Drift drift;
  drift.segments = session.last_segments().size();
  const auto names = session.output_names();
  for (size_t i = 0; i < names.size(); ++i) {
    const Tensor &oracle = results[0][i], &eager = results[1][i], &compiled = results[2][i];
    Drift::Output& o = drift.outputs.emplace_back();
    o.name = names[i], o.numeric = eager.dtype() != DType::string, o.equal = eager.same_bits(compiled);
    if (o.numeric) o.eager_ulp = drift_of(eager, oracle), o.compiled_ulp = drift_of(compiled, oracle);
  }
  if (Status s = add_places(session, feeds, cancel, drift); !s) return s.error();
  return drift;
}

} // namespace cutaway::driver
