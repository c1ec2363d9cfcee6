#include "import/onnx/external_data.h"

#include <charconv>
#include <filesystem>

namespace fs = std::filesystem;

namespace cutaway::onnx {

namespace {

int64_t whole_number(const std::string& key, const std::string& value) {
  int64_t n = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), n);
  if (error != std::errc() || end != value.data() + value.size() || n < 0)
    refuse(invalid_model("", "the external data's " + key + " " + quote(value) + " is no whole number"));
  return n;
}

[[noreturn]] void outside(const std::string& location) {
  refuse(invalid_model("", "its external data " + quote(location) + " lies outside of the model's folder",
                       "put the file into the model's folder and give its location relative to that"));
}

// The resolved path, known to lie under the folder.
std::string resolve(const std::string& location, const std::string& folder) {
  if (location.empty()) refuse(invalid_model("", "its external data has no location"));
  if (folder.empty())
    refuse(unsupported("", "its data lies in another file", "use a tensor file that holds its data itself"));
  const fs::path relative(location);
  if (relative.is_absolute()) outside(location);
  for (const fs::path& part : relative)
    if (part == "..") outside(location);
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  if (error) refuse(bad_input("", "cannot resolve the model's folder: " + error.message()));
  const fs::path full = fs::canonical(root / relative, error);
  if (error) {
    refuse(bad_input("", "cannot read its external data " + quote(location) + ": " + error.message(),
                     "put that file beside the model"));
  }
  const fs::path inside = full.lexically_relative(root);
  if (inside.empty() || *inside.begin() == "..") outside(location);
  return full.string();
}

} // namespace

void read_external_entry(Message entry, ExternalData& out) {
  std::string key, value;
  while (entry.next()) {
    switch (entry.field()) {
    case 1: key = entry.name("a key of external data"); break;
    case 2: value = entry.name("a value of external data"); break;
    default: entry.skip();
    }
  }
  if (key == "location")
    out.location = value;
  else if (key == "offset")
    out.offset = whole_number(key, value);
  else if (key == "length")
    out.length = whole_number(key, value);
}

ExternalView map_external(const ExternalData& external, int64_t expected, Context& context) {
  if (external.length >= 0 && external.length != expected) {
    refuse(invalid_model("",
                         "its external data has " + std::to_string(external.length) + " bytes where the shape needs " +
                             std::to_string(expected),
                         "export the model again"));
  }
  const std::string path = resolve(external.location, context.folder);
  if (expected == 0) return {};
  auto& file = context.external[path];
  if (!file) {
    auto mapped = MappedFile::open(path);
    if (!mapped) refuse(mapped.error());
    file = *mapped;
    context.files.push_back(file);
  }
  const auto size = static_cast<int64_t>(file->size());
  if (external.offset > size || expected > size - external.offset) {
    refuse(invalid_model("",
                         "its external data needs bytes " + std::to_string(external.offset) + " to " +
                             std::to_string(external.offset) + " + " + std::to_string(expected) + " of " +
                             quote(external.location) + ", which has " + std::to_string(size),
                         "the file may be cut short: fetch it again"));
  }
  return {file->data() + external.offset, file};
}

} // namespace cutaway::onnx
