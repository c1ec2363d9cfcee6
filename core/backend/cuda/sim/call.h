#pragma once
#include "backend/cuda/sim/state.h"

#include <mutex>

namespace cutaway::cuda::sim {

// One call of the table under way: it holds the driver's lock, but not while it waits for the device or compiles.
struct Call {
  std::shared_ptr<Sim> owner;
  std::unique_lock<std::mutex> lock;
  int refused = 0; // answer this, and do nothing

  Sim& sim() { return *owner; }
};

// library: needs neither a context nor cuInit; device: needs cuInit; context: needs a current context, and answers with
// the error that the context died of.
enum class Scope { library, device, context };

Call enter(const char* name, Scope scope);

template <size_t n> struct CallName {
  char text[n];
  constexpr CallName(const char (&from)[n]) {
    for (size_t i = 0; i < n; ++i) text[i] = from[i];
  }
};

template <CallName name, Scope scope, auto body> struct Entry;

template <CallName name, Scope scope, class R, class... A, R (*body)(Call&, A...)> struct Entry<name, scope, body> {
  static R answer(A... arguments) {
    Call call = enter(name.text, scope);
    return call.refused ? R(call.refused) : body(call, arguments...);
  }
};

// Fills a field of the table: every call is counted, can be made to fail, and checks its scope before its body runs.
template <CallName name, Scope scope, auto body, class Field> void put(Field& field) {
  field = &Entry<name, scope, body>::answer;
}

void put_device_calls(Api& api);
void put_memory_calls(Api& api);
void put_pool_calls(Api& api);
void put_module_calls(Api& api);
void put_stream_calls(Api& api);
void put_event_calls(Api& api);
void put_graph_calls(Api& api);
void put_nvrtc_calls(Api& api);

// The running driver, or null, and the lock on what it holds.
std::shared_ptr<Sim> current_sim();
std::mutex& api_mutex();
// The context that is current in this thread.
CUcontext& current_context();

// What the next operation of this thread was said to be, if anything; forgotten by this.
std::optional<Note> take_note();

} // namespace cutaway::cuda::sim
