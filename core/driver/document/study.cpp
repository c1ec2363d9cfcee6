#include "driver/document/study.h"

#include "driver/document/run_record.h"

namespace cutaway::driver {

Result<Study> study(Session& session, const Feeds& feeds, const std::string& path, Measure what, const std::atomic<bool>* cancel) {
  Study out;
  if (auto ran = session.run(feeds, Mode::compiled, &out.info, {cancel, {}}); !ran) return ran.error();
  std::optional<RunRecord> record;
  if (what != Measure::nothing) {
    auto measured = measure(session, feeds, what == Measure::drift, cancel);
    if (!measured) return measured.error();
    record = std::move(*measured);
  }
  out.document = make_document(session, out.info, path, record ? &*record : nullptr);
  return out;
}

} // namespace cutaway::driver
