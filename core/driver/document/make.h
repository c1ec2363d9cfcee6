#pragma once
#include "driver/document/run_record.h"
#include "driver/pipeline.h"
#include "driver/session.h"
#include "trace/document.h"

namespace cutaway::driver {

// The steps of one compile as views read them: the imported graph, a step an event of the journal, the schedule, the
// arena, the text of each kernel, what was measured of it, and tables: those given, then "tiles", "tile ranking" and
// "copies". The segment must have been compiled with its journal; the record must be of this segment.
std::shared_ptr<const trace::Trace> make_trace(const CompiledSegment& segment, const std::string& name, std::vector<trace::TablePanel> tables = {}, const RunRecord* record = nullptr);

// What was measured of one run of the segment, in the names that make_trace gives.
trace::TimelinePanel timeline_of(const CompiledSegment& segment, const runtime::RunProfile& profile);

// The document of the compiles that a session's last run used.
trace::Document make_document(const Session& session, const RunInfo& info, const std::string& path, const RunRecord* record = nullptr);

// The document's title for a file: its name without the folder.
std::string model_title(const std::string& path);

} // namespace cutaway::driver
