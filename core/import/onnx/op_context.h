#pragma once
#include "import/onnx/lowering.h"

namespace cutaway::onnx {

class Lowerer;

// What the lowering of one node works with. Errors stick: after the first fault (or deferral) every emit does nothing and
// returns an invalid id, and types of invalid ids are f32 scalars; so a lowering reads straight through and only checks
// ok() where it would loop or index on data it did not get.
class OpContext {
 public:
  OpContext(Lowerer& lowerer, const WorkNode& work);

  const Node& node;
  int64_t opset = 1; // of the node's domain

  bool ok() const { return !error_ && !deferred_; }
  void fail(Diagnostic d);
  // invalid-model about this node.
  void bad(const std::string& what, const std::string& hint = {}) ;
  // The node runs on the eager path, or in a later segment.
  void defer(BreakCause cause, const std::string& reason);

  // --- inputs and outputs
  size_t input_count() const { return node.inputs.size(); }
  bool has(size_t i) const { return i < node.inputs.size() && !node.inputs[i].empty(); }
  bool wants(size_t output) const { return output < node.outputs.size() && !node.outputs[output].empty(); }
  // The value read at i; a missing one is a fault of the model.
  ValueId in(size_t i);
  void out(size_t i, ValueId v);

  // --- types
  const Type& type(ValueId v) const;
  DType dtype(ValueId v) const { return type(v).dtype; }
  size_t rank(ValueId v) const { return type(v).rank(); }
  const Shape& shape(ValueId v) const { return type(v).shape; }
  // The extents as numbers; a symbolic one defers.
  std::vector<int64_t> dims(ValueId v);
  // Brings a possibly negative axis into 0..rank-1 (one past it where `end_too`); out of range is a fault of the model.
  int64_t axis(int64_t value, size_t rank, bool end_too = false);
  std::vector<int64_t> axes(std::vector<int64_t> values, size_t rank); // sorted, distinct

  // --- values known while lowering
  // The contents of a value that follows from constants, shapes, or small inputs on which the segment may be specialised.
  std::optional<Tensor> maybe_known(ValueId v);
  // The same, but deferred where not known.
  Tensor known(size_t input);
  std::vector<int64_t> known_ints(size_t input);

  // --- attributes
  bool has_attr(const char* name) const { return node.attribute(name) != nullptr; }
  int64_t attr_i(const char* name, int64_t otherwise) const;
  double attr_f(const char* name, double otherwise) const; // the float as read, widened
  std::string attr_s(const char* name, const std::string& otherwise) const;
  std::vector<int64_t> attr_ints(const char* name, std::vector<int64_t> otherwise = {}) const;
  std::vector<float> attr_floats(const char* name, std::vector<float> otherwise = {}) const;
  std::optional<Tensor> attr_tensor(const char* name);

  // --- emitting
  ValueId emit(Op op, std::vector<ValueId> inputs, Attrs attrs = {});
  std::vector<ValueId> emit_many(Op op, std::vector<ValueId> inputs, Attrs attrs, size_t outputs);
  ValueId constant(Tensor t);
  // A scalar constant in the dtype (rounded once from the double; integers exactly from it).
  ValueId scalar(double value, DType dtype);
  ValueId scalar_i64(int64_t value) { return constant(Tensor::scalar_i64(value)); }
  ValueId vector_i64(const std::vector<int64_t>& v) { return constant(Tensor::vector_i64(v)); }

  ValueId add(ValueId a, ValueId b) { return emit(Op::add, {a, b}); }
  ValueId sub(ValueId a, ValueId b) { return emit(Op::sub, {a, b}); }
  ValueId mul(ValueId a, ValueId b) { return emit(Op::mul, {a, b}); }
  ValueId div(ValueId a, ValueId b) { return emit(Op::div, {a, b}); }
  ValueId maximum(ValueId a, ValueId b) { return emit(Op::maximum, {a, b}); }
  ValueId minimum(ValueId a, ValueId b) { return emit(Op::minimum, {a, b}); }
  ValueId less(ValueId a, ValueId b) { return emit(Op::less, {a, b}); }
  ValueId select(ValueId c, ValueId a, ValueId b) { return emit(Op::select, {c, a, b}); }
  ValueId unary(Op op, ValueId a) { return emit(op, {a}); }
  // No node where it is that dtype already.
  ValueId cast(ValueId v, DType to);
  // No node where nothing changes.
  ValueId reshape(ValueId v, const Shape& shape);
  ValueId reshape(ValueId v, const std::vector<int64_t>& dims) { return reshape(v, make_shape(dims)); }
  ValueId permute(ValueId v, const std::vector<int64_t>& perm);
  ValueId broadcast(ValueId v, const Shape& shape);
  ValueId slice(ValueId v, std::vector<int64_t> starts, std::vector<int64_t> steps, std::vector<int64_t> sizes);
  // One axis cut to [start, start + size).
  ValueId slice_axis(ValueId v, int64_t axis, int64_t start, int64_t size);
  ValueId pad(ValueId v, std::vector<int64_t> low, std::vector<int64_t> high, ValueId fill);
  ValueId concat(std::vector<ValueId> parts, int64_t axis);
  ValueId reduce(Op op, ValueId v, std::vector<int64_t> axes, bool keepdims);
  ValueId gather(ValueId data, ValueId indices, int64_t axis);
  ValueId mean(ValueId v, std::vector<int64_t> axes, bool keepdims); // sum divided by the count

  Lowerer& lowerer() { return lowerer_; }
  const WorkNode& work() const { return work_; }
  const std::optional<Diagnostic>& error() const { return error_; }
  struct Deferral {
    BreakCause cause;
    std::string reason;
  };
  const std::optional<Deferral>& deferral() const { return deferred_; }

 private:
  Lowerer& lowerer_;
  const WorkNode& work_;
  std::optional<Diagnostic> error_;
  std::optional<Deferral> deferred_;
};

} // namespace cutaway::onnx
