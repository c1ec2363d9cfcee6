#pragma once
#include "base/result.h"
#include "trace/document.h"

namespace cutaway::trace {

// Files that are read, not compiled: a document, or a trace in Chrome's form, which is shown as a timeline.
bool is_saved(const std::string& path);
// Hostile files are expected; see trace/file and trace/chrome.
Result<Document> read_saved(const std::string& path);

} // namespace cutaway::trace
