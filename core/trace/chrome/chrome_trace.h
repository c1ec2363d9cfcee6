#pragma once
#include "base/result.h"
#include "trace/document.h"

#include <string>

// Timelines in the trace event form of Chrome and Perfetto ("Trace Event Format", Google, 2016): complete events, begin and end,
// flows, names of processes and threads. What Cutaway writes says more in args, and reads back as it was.
namespace cutaway::trace {

inline constexpr uint64_t chrome_most_bytes = uint64_t{1} << 30;
inline constexpr size_t chrome_most_events = 2'000'000, chrome_most_lanes = 1024;

// A process a run, a thread a lane, a complete event a span, with its entity and category, and a pair s, f a flow. Times in µs.
std::string chrome_text(const TimelinePanel& panel);
// Written beside and renamed.
Status write_chrome_trace(const std::string& path, const TimelinePanel& panel);

// Whether the file begins as such a trace does.
bool is_chrome_trace(const std::string& path);
// Hostile files are expected: truncated, huge, of wrong types. What is kept grows with the number of events, which has a limit.
// invalid-model names the event; limit: too large, or too many events, lanes or levels.
Result<TimelinePanel> read_chrome_trace(const std::string& path);
// A document that shows it and nothing else: one step, an empty graph.
Document chrome_document(const std::string& name, TimelinePanel panel);

} // namespace cutaway::trace
