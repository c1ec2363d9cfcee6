#pragma once
#include "driver/document/make.h"

namespace cutaway::driver {

// What of a run a document shows beside the compile.
enum class Measure { nothing, profile, drift }; // drift: the profile as well

struct Study {
  trace::Document document;
  RunInfo info;
};

// Runs the session's model compiled on the feeds, measures it as asked, and makes the document. The session must keep its
// journal. `limit` soon after *cancel became true.
Result<Study> study(Session& session, const Feeds& feeds, const std::string& path, Measure what, const std::atomic<bool>* cancel = nullptr);

} // namespace cutaway::driver
