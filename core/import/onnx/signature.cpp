#include "import/onnx/signature.h"

namespace cutaway::onnx {

namespace {

struct Row {
  size_t at;
  std::string_view magic;
  const char* what;
  const char* hint;
};
using namespace std::string_view_literals;
constexpr const char* convert = "export it to ONNX";
constexpr Row rows[] = {
    {0, "version https://git-lfs"sv, "a Git LFS pointer", "run `git lfs pull` to get the model itself"},
    {0, "PK\x03\x04"sv, "a ZIP archive (perhaps a PyTorch checkpoint)", "unpack it, or export the model to ONNX"},
    {0, "\x89PNG"sv, "a PNG picture", ""},
    {0, "\xFF\xD8\xFF"sv, "a JPEG picture", ""},
    {0, "GIF8"sv, "a GIF picture", ""},
    {0, "%PDF"sv, "a PDF document", ""},
    {0,
     "\x7F"
     "ELF"sv,
     "a program", ""},
    {0, "\x1F\x8B"sv, "a gzip archive", "unpack it"},
    {0,
     "\xFD"
     "7zXZ"sv,
     "an xz archive", "unpack it"},
    {0, "\x28\xB5\x2F\xFD"sv, "a zstd archive", "unpack it"},
    {257, "ustar"sv, "a tar archive", "unpack it"},
    {0, "\x89HDF"sv, "an HDF5 file (perhaps of Keras)", convert},
    {4, "TFL3"sv, "a TensorFlow Lite model", convert},
    {4, "ORTM"sv, "a model in ONNX Runtime's own format", "use the .onnx file that it was made from"},
    {0, "GGUF"sv, "a GGUF model", convert},
    {0, "\x93NUMPY"sv, "a NumPy array", "give it with --input NAME=FILE.npy"},
    {0, "\x80\x02"sv, "a Python pickle (perhaps a PyTorch checkpoint)", convert},
    {0, "<?xml"sv, "an XML file", ""},
    {0, "<!DOCTYPE"sv, "a web page", "fetch the model itself"},
    {0, "<html"sv, "a web page", "fetch the model itself"},
    {8, "{\""sv, "a safetensors file", "it holds weights alone: export the model to ONNX"},
    {0, "{"sv, "a JSON file", ""},
};

// Printable ASCII throughout its first part. A model's names are text too, but its first bytes never are: the tag of
// ir_version (8) and its number are control characters.
bool is_plain_text(std::string_view bytes) {
  for (const char c : bytes.substr(0, 16)) {
    const auto u = static_cast<unsigned char>(c);
    if (u >= 0x7F || (u < 0x20 && u != '\n' && u != '\r' && u != '\t')) return false;
  }
  return true;
}

} // namespace

Signature foreign_signature(std::string_view bytes) {
  for (const Row& row : rows)
    if (bytes.size() >= row.at && bytes.substr(row.at, row.magic.size()) == row.magic) return {row.what, row.hint};
  if (is_plain_text(bytes)) return {"a text file", "models in text form have names that end in .cut"};
  return {};
}

} // namespace cutaway::onnx
