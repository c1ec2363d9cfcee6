#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>

namespace cutaway::cuda::sim {

// A fresh handle value: none is ever given twice, so that a stale one, or one of another kind, names nothing.
inline uintptr_t next_handle() {
  static std::atomic<uintptr_t> next = 0x10000;
  return next += 16;
}

// What handles of one kind name.
template <class Handle, class Object> class Handles {
 public:
  using Map = std::map<Handle, std::shared_ptr<Object>>;

  Handle add(std::shared_ptr<Object> object) {
    const auto handle = reinterpret_cast<Handle>(next_handle());
    live_[handle] = std::move(object);
    return handle;
  }
  std::shared_ptr<Object> find(Handle handle) const {
    const auto at = live_.find(handle);
    return at == live_.end() ? nullptr : at->second;
  }
  // Takes it out; null where the handle names nothing.
  std::shared_ptr<Object> take(Handle handle) {
    auto node = live_.extract(handle);
    return node ? std::move(node.mapped()) : nullptr;
  }
  void clear() { live_.clear(); }
  size_t size() const { return live_.size(); }
  auto begin() const { return live_.begin(); }
  auto end() const { return live_.end(); }

 private:
  Map live_;
};

} // namespace cutaway::cuda::sim
