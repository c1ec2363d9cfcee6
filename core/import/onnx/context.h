#pragma once
#include "import/mapped_file.h"
#include "import/onnx/model.h"
#include "import/onnx/wire.h"

#include <exception>
#include <new>
#include <stdexcept>

namespace cutaway::onnx {

// What the readers of one file share.
struct Context {
  std::shared_ptr<const MappedFile> file;
  std::string folder; // where external data may lie; empty: this file may have none
  std::map<std::string, std::shared_ptr<const MappedFile>> external; // by resolved path
  std::vector<std::shared_ptr<const MappedFile>> files;
  std::vector<std::string> warnings;
  int graph_depth = 0;
  int type_depth = 0;
  size_t struct_bytes = 0, decoded_bytes = 0;

  // The first node of the model or function being read that needs an import of the default domain.
  std::string default_domain_user;
  // (place, attribute of the function): what references in the function being read need; null outside of functions.
  std::vector<std::pair<std::string, std::string>>* references = nullptr;

  // Both refuse past their limits (wire.h).
  void charge_structs(size_t bytes);
  void charge_decoded(size_t bytes);
  void warn(std::string sentence);
};

// Counts a level of nesting while it lives.
struct Level {
  explicit Level(int& depth) : depth(++depth) {}
  ~Level() { --depth; }
  int& depth;
};

// Runs f, which returns a T, and turns everything thrown in this folder into a Diagnostic; faults of the wire format
// get their byte offset in `file`.
template <class T, class F> Result<T> guarded(const MappedFile& file, F f) {
  try {
    return Result<T>(f());
  } catch (Refused& refused) {
    const auto* at = reinterpret_cast<const std::byte*>(refused.at);
    if (at && at >= file.data() && at <= file.data() + file.size())
      refused.diagnostic.what += " (byte " + std::to_string(at - file.data()) + ")";
    return std::move(refused.diagnostic);
  } catch (const protozero::exception& e) {
    return invalid_model("", std::string("the data is no protobuf: ") + e.what());
  } catch (const std::bad_alloc&) {
    return over_limit("", "there is not enough memory to read it", "free memory, or read a smaller model");
  } catch (const std::length_error&) {
    return over_limit("", "it asks for more elements than memory can hold");
  }
}

} // namespace cutaway::onnx
