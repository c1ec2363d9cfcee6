#pragma once
#include "base/ids.h"
#include "base/result.h"
#include "trace/panels.h"
#include "trace/tensor_facts.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>

namespace cutaway::trace {

// Set to true, it calls a question off: its answer then never comes.
using CallOff = std::shared_ptr<std::atomic<bool>>;

// The questions a view may ask of the program behind a document. Nothing here blocks: answers come later, in the thread
// that asked, and are immutable. A saved document has no port.
class Port {
 public:
  template <class T> using Answer = std::function<void(Result<T>)>;
  virtual ~Port() = default;

  // What a value of the document's trace `segment` holds, from a run on the document's inputs.
  virtual void tensor(size_t segment, ValueId value, CallOff off, Answer<std::shared_ptr<const TensorFacts>> answer) = 0;
  // The same tensor as a NumPy file; gives the path back.
  virtual void save_tensor(size_t segment, ValueId value, const std::string& path, CallOff off, Answer<std::string> answer) = 0;
  // The machine code of a kernel (or of an op that is one by itself).
  virtual void assembly(size_t segment, Entity kernel, CallOff off, Answer<std::shared_ptr<const TextPanel>> answer) = 0;
};

} // namespace cutaway::trace
