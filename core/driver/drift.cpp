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

// The values that the first segment's kernels write, as one mode of the eager path gives them.
using Values = std::map<uint32_t, Tensor>;

Result<std::vector<Tensor>> run_watched(Session& session, const Feeds& feeds, Mode mode, const std::set<uint32_t>& wanted, const std::atomic<bool>* cancel, Values& values) {
  const auto keep = [&](size_t segment, ValueId v, const Tensor& t) {
    if (segment == 0 && wanted.contains(v.v)) values[v.v] = t;
  };
  return session.run(feeds, mode, nullptr, {cancel, keep});
}

Status add_places(Session& session, const Feeds& feeds, const Values& eager, const Values& oracle, Drift& drift) {
  if (session.last_segments().empty()) return {};
  auto inputs = session.first_inputs(feeds);
  if (!inputs) return inputs.error();
  const CompiledSegment& compiled = *session.last_segments()[0];
  const runtime::Executable& e = *compiled.executable;
  auto made = e.make_context(session.compiler().pool());
  if (!made) return made.error();
  const auto& context = *made;
  context->observe = [&](int kernel, ValueId v, const Tensor& t) {
    const auto a = eager.find(v.v), b = oracle.find(v.v);
    if (a == eager.end() || b == oracle.end() || a->second.dims() != t.dims() || t.dtype() == DType::string) return;
    const NodeId producer = compiled.graph.value(v).producer;
    drift.places.push_back({{drift_of(a->second, b->second), drift_of(t, b->second), t.same_bits(a->second)}, kernel, e.kernels()[static_cast<size_t>(kernel)].name,
                            compiled.graph.model_name(producer), v, producer});
  };
  auto out = e.run(*inputs, *context);
  return out ? Status() : Status(out.error());
}

void add_outputs(const std::vector<std::string>& names, const std::vector<Tensor>& compiled, const std::vector<Tensor>& eager, const std::vector<Tensor>& oracle, Drift& drift) {
  for (size_t i = 0; i < names.size(); ++i) {
    Drift::Output& o = drift.outputs.emplace_back();
    o.name = names[i], o.numeric = eager[i].dtype() != DType::string, o.equal = eager[i].same_bits(compiled[i]);
    if (o.numeric) o.eager_ulp = drift_of(eager[i], oracle[i]), o.compiled_ulp = drift_of(compiled[i], oracle[i]);
  }
}

} // namespace

Result<Drift> measure_drift(Session& session, const Feeds& feeds, const std::atomic<bool>* cancel) {
  auto first = session.run(feeds, Mode::compiled, nullptr, {cancel, {}});
  if (!first) return first.error();
  std::set<uint32_t> wanted;
  if (!session.last_segments().empty())
    for (const codegen::GroupKernel& k : session.last_segments()[0]->executable->kernels())
      for (ValueId v : k.writes) wanted.insert(v.v);
  Values oracle_values, eager_values;
  auto oracle = run_watched(session, feeds, Mode::oracle, wanted, cancel, oracle_values);
  if (!oracle) return oracle.error();
  auto eager = run_watched(session, feeds, Mode::eager, wanted, cancel, eager_values);
  if (!eager) return eager.error();
  // Again, so that the session's last run is compiled.
  auto compiled = session.run(feeds, Mode::compiled, nullptr, {cancel, {}});
  if (!compiled) return compiled.error();
  Drift drift;
  drift.segments = session.last_segments().size();
  add_outputs(session.output_names(), *compiled, *eager, *oracle, drift);
  if (Status s = add_places(session, feeds, eager_values, oracle_values, drift); !s) return s.error();
  return drift;
}

} // namespace cutaway::driver
