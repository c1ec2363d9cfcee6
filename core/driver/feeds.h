#pragma once
#include "import/onnx/model.h"

#include <map>

namespace cutaway::driver {

using Bindings = std::map<std::string, int64_t>; // symbol -> extent
using Feeds = std::map<std::string, Tensor>;

// One input that must be fed: what the model declares of it.
struct InputInfo {
  std::string name;
  const onnx::ValueType* type = nullptr;
  bool has_default = false; // an initializer of the same name
};
std::vector<InputInfo> model_inputs(const onnx::Model& model);

// The declared shape under the bindings; unbound symbols and unknown extents take 1, symbols so taken are added to
// `assumed`. `unsupported` for inputs that are no tensors.
Result<std::vector<int64_t>> input_dims(const InputInfo& input, const Bindings& bindings, std::vector<std::string>& assumed);

// Reproducible contents: floats from a normal distribution, integers and bools 0 or 1 (an index is then in range of all but the smallest table).
Tensor random_tensor(DType dtype, const std::vector<int64_t>& dims, uint64_t seed);

// Checks what is fed against the declarations: dtype, rank, fixed extents, and that a symbol has one value in all inputs.
Status check_feeds(const onnx::Model& model, const Feeds& feeds);

// Reads the `--input NAME=FILE.npy|FILE.pb|random:SEED` specs, fills in defaults and random:0 for the rest, and says in
// `notes` what was assumed.
Result<Feeds> make_feeds(const onnx::Model& model, const std::vector<std::string>& specs, const Bindings& bindings, std::vector<std::string>& notes);

} // namespace cutaway::driver
