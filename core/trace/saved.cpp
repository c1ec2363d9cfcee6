#include "trace/saved.h"

#include "trace/chrome/chrome_trace.h"
#include "trace/file/document_file.h"

#include <filesystem>

namespace cutaway::trace {

bool is_saved(const std::string& path) { return is_document(path) || is_chrome_trace(path); }

Result<Document> read_saved(const std::string& path) {
  if (is_document(path)) return read_document(path);
  auto panel = read_chrome_trace(path);
  if (!panel) return panel.error();
  return chrome_document(std::filesystem::path(path).filename().string(), std::move(*panel));
}

} // namespace cutaway::trace
