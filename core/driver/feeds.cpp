#include "driver/feeds.h"

#include "import/tensor_files.h"
#include "ir/eval.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace cutaway::driver {
namespace {

// SplitMix64: small, reproducible everywhere.
uint64_t next_random(uint64_t& state) {
  uint64_t z = (state += 0x9e3779b97f4a7c15ull);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

// Sum of twelve uniforms less six: near enough to normal, without a transcendental function.
double normal(uint64_t& state) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(next_random(state) >> 11) * 0x1p-53;
  return sum;
}

bool ends_with(const std::string& s, const char* tail) {
  const std::string t = tail;
  return s.size() >= t.size() && s.compare(s.size() - t.size(), t.size(), t) == 0;
}

Result<Tensor> read_spec(const InputInfo& input, const std::string& spec, const Bindings& bindings, std::vector<std::string>& notes) {
  if (ends_with(spec, ".npy")) return read_npy(spec);
  if (ends_with(spec, ".pb")) return read_tensor_pb(spec);
  uint64_t seed = 0;
  const std::string prefix = "random:";
  const auto [end, error] = std::from_chars(spec.data() + std::min(prefix.size(), spec.size()), spec.data() + spec.size(), seed);
  if (spec.compare(0, prefix.size(), prefix) != 0 || error != std::errc() || end != spec.data() + spec.size())
    return bad_input("--input " + input.name, "'" + spec + "' is no source of data", "give FILE.npy, FILE.pb or random:SEED");
  auto dims = input_dims(input, bindings, notes);
  if (!dims) return dims.error();
  return random_tensor(*input.type->dtype, *dims, seed);
}

} // namespace

std::vector<InputInfo> model_inputs(const onnx::Model& model) {
  std::vector<InputInfo> out;
  for (const onnx::ValueInfo& v : model.graph.inputs) {
    const bool given = std::any_of(model.graph.initializers.begin(), model.graph.initializers.end(), [&](const onnx::TensorData& t) { return t.name == v.name; });
    out.push_back({v.name, &v.type, given});
  }
  return out;
}

Result<std::vector<int64_t>> input_dims(const InputInfo& input, const Bindings& bindings, std::vector<std::string>& assumed) {
  const onnx::ValueType& t = *input.type;
  if (t.kind != onnx::ValueType::Kind::tensor || !t.dtype) return unsupported("input '" + input.name + "'", "inputs of type " + onnx::type_text(t));
  std::vector<int64_t> dims;
  if (!t.shape) {
    assumed.push_back("input '" + input.name + "' has no declared shape; a scalar is taken");
    return dims;
  }
  for (const onnx::DimSpec& d : *t.shape) {
    if (d.kind == onnx::DimSpec::Kind::value) {
      dims.push_back(d.value);
      continue;
    }
    const auto it = bindings.find(d.param);
    if (d.kind == onnx::DimSpec::Kind::param && it != bindings.end()) {
      dims.push_back(it->second);
      continue;
    }
    dims.push_back(1);
    const std::string note = d.kind == onnx::DimSpec::Kind::param ? "dim '" + d.param + "' is not bound; 1 is taken" : "an extent of input '" + input.name + "' is not known; 1 is taken";
    if (std::find(assumed.begin(), assumed.end(), note) == assumed.end()) assumed.push_back(note);
  }
  if (!count_of(dims) || *count_of(dims) > (int64_t{1} << 32)) return over_limit("input '" + input.name + "'", "the shape is too large to make up data for", "bind smaller dims with --dim");
  return dims;
}

Tensor random_tensor(DType dtype, const std::vector<int64_t>& dims, uint64_t seed) {
  uint64_t state = seed * 0x9e3779b97f4a7c15ull + 1;
  if (dtype == DType::string) return Tensor::of_strings(dims, std::vector<std::string>(static_cast<size_t>(*count_of(dims)), "a"));
  if (is_float(dtype)) {
    Tensor wide(DType::f64, dims);
    for (int64_t i = 0; i < wide.count(); ++i) wide.mutable_as<double>()[i] = normal(state);
    const Type to{dtype, make_shape(dims)};
    auto out = eval(Op::cast, {{"to", dtype}}, std::span(&wide, 1), std::span(&to, 1));
    return out ? (*out)[0] : Tensor(dtype, dims);
  }
  Tensor t(dtype, dims);
  const auto size = static_cast<size_t>(dtype_size(dtype));
  for (int64_t i = 0; i < t.count(); ++i) {
    const uint64_t v = next_random(state) % 2;
    std::memcpy(t.mutable_data() + static_cast<size_t>(i) * size, &v, size); // little-endian
  }
  return t;
}

Status check_feeds(const onnx::Model& model, const Feeds& feeds) {
  std::map<std::string, std::pair<int64_t, std::string>> symbols;
  for (const InputInfo& input : model_inputs(model)) {
    const auto it = feeds.find(input.name);
    if (it == feeds.end()) {
      if (input.has_default) continue;
      return bad_input("input '" + input.name + "'", "it is not given");
    }
    const Tensor& t = it->second;
    const std::string where = "input '" + input.name + "'";
    if (input.type->kind != onnx::ValueType::Kind::tensor || !input.type->dtype) return unsupported(where, "inputs of type " + onnx::type_text(*input.type));
    if (t.dtype() != *input.type->dtype) return bad_input(where, std::string("the model declares ") + dtype_name(*input.type->dtype) + ", " + dtype_name(t.dtype()) + " was given");
    if (!input.type->shape) continue;
    const auto& shape = *input.type->shape;
    if (shape.size() != t.rank()) return bad_input(where, "the model declares " + onnx::type_text(*input.type) + ", rank " + std::to_string(t.rank()) + " was given");
    for (size_t d = 0; d < shape.size(); ++d) {
      const int64_t n = t.dims()[d];
      if (shape[d].kind == onnx::DimSpec::Kind::value && shape[d].value != n)
        return bad_input(where, "dim " + std::to_string(d) + " is " + std::to_string(n) + ", the model declares " + std::to_string(shape[d].value));
      // Exporters write "?" for what they do not know: it is no symbol, and may differ from place to place.
      if (shape[d].kind != onnx::DimSpec::Kind::param || shape[d].param == "?") continue;
      const auto [at, fresh] = symbols.try_emplace(shape[d].param, n, input.name);
      if (!fresh && at->second.first != n)
        return bad_input(where, "symbol '" + shape[d].param + "' is " + std::to_string(n) + " here and " + std::to_string(at->second.first) + " in input '" + at->second.second + "'", "give both inputs the same extent");
    }
  }
  return {};
}

Result<Feeds> make_feeds(const onnx::Model& model, const std::vector<std::string>& specs, const Bindings& bindings, std::vector<std::string>& notes) {
  std::map<std::string, std::string> by_name;
  const auto inputs = model_inputs(model);
  for (const std::string& spec : specs) {
    // A name may hold '=': the longest input name that fits decides.
    const InputInfo* best = nullptr;
    for (const InputInfo& input : inputs)
      if (spec.compare(0, input.name.size() + 1, input.name + "=") == 0 && (!best || input.name.size() > best->name.size())) best = &input;
    if (!best) return bad_input("--input", "'" + spec + "' names no input of the model", "give NAME=FILE.npy, NAME=FILE.pb or NAME=random:SEED");
    by_name[best->name] = spec.substr(best->name.size() + 1);
  }
  Feeds feeds;
  for (const InputInfo& input : inputs) {
    const auto it = by_name.find(input.name);
    if (it == by_name.end() && input.has_default) continue;
    if (it == by_name.end()) notes.push_back("input '" + input.name + "' is not given; random:0 is taken");
    auto t = read_spec(input, it == by_name.end() ? "random:0" : it->second, bindings, notes);
    if (!t) return t.error();
    feeds[input.name] = std::move(*t);
  }
  return feeds;
}

} // namespace cutaway::driver
