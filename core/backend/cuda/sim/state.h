#pragma once
#include "backend/cuda/sim/clock.h"
#include "backend/cuda/sim/executor.h"
#include "backend/cuda/sim/handles.h"
#include "backend/cuda/sim/memory.h"
#include "backend/cuda/sim/order.h"
#include "backend/cuda/sim/program.h"

#include <cstdlib>
#include <thread>

namespace cutaway::cuda::sim {

struct Node {
  Work work;
  std::vector<size_t> after; // nodes of the same graph, all earlier ones
};

struct Graph {
  std::vector<Node> nodes;
  std::vector<CUgraphNode> handles; // by node, made when they are asked for
};

struct NodeRef {
  std::weak_ptr<Graph> graph;
  size_t index = 0;
};

struct Stream;

struct Capture {
  Stream* origin = nullptr;
  CUstreamCaptureMode mode{};
  std::thread::id thread;
  std::shared_ptr<Graph> graph;
  bool invalid = false;
};

struct Stream {
  int id = 0, lane = 0;
  bool blocking = true;
  Point tail;
  std::shared_ptr<Capture> capture;
  std::vector<size_t> captured; // nodes that the next one of this stream follows
};

struct Event {
  Point point;
  bool recorded = false, timed = true;
  bool in_capture = false; // it was last recorded in this one, which may have ended since
  std::weak_ptr<Capture> capture;
  std::vector<size_t> captured;
};

struct GraphExec {
  std::vector<Node> nodes;
  std::vector<CUgraphNode> sources; // handles of the graph it was made from
  std::weak_ptr<Graph> graph;
  std::vector<int> lanes;
  Point last; // the end of its latest launch
};

struct Module {
  Kernels kernels;
  std::map<std::string, CUfunction> functions;
};

struct Function {
  std::shared_ptr<const KernelEntry> kernel;
  unsigned shared_limit = 48 * 1024;
};

struct Pool {
  uint64_t used = 0, used_high = 0, reserved = 0, reserved_high = 0, threshold = 0;
  int reuse[3] = {1, 1, 1};
};

struct Free {
  void operator()(char* at) const { std::free(at); }
};
struct Pinned {
  size_t bytes = 0;
  std::unique_ptr<char, Free> memory;
};

struct Program {
  std::string text, log, image;
};

// The simulated driver: one a process, as the functions of the table carry no state of their own.
struct Sim {
  Sim(const DeviceModel& model, std::shared_ptr<cpu::KernelCompiler> compiler, std::shared_ptr<cpu::Linker> linker);

  const DeviceModel device;
  const std::shared_ptr<cpu::KernelCompiler> compiler;
  const std::shared_ptr<cpu::Linker> linker;
  DeviceMemory memory;
  std::map<char*, Pinned> pinned;
  Executor executor{memory};
  Clock clock;
  Order order;

  bool initialized = false, checked = false;
  CUcontext context = nullptr;
  int retained = 0; // how often the primary context is
  CUresult sticky = CUDA_SUCCESS;
  Stream default_stream;
  Point host;       // all that the host knows to have happened
  Point gone;       // where streams that were destroyed ended
  int next_stream = 1;

  Handles<CUstream, Stream> streams;
  Handles<CUevent, Event> events;
  Handles<CUgraph, Graph> graphs;
  Handles<CUgraphNode, NodeRef> nodes;
  Handles<CUgraphExec, GraphExec> execs;
  Handles<CUmodule, Module> modules;
  Handles<CUfunction, Function> functions;
  Handles<CUmemoryPool, Pool> pools;
  Handles<nvrtcProgram, Program> programs;
  CUmemoryPool default_pool = nullptr;
  std::map<CUdeviceptr, std::shared_ptr<Pool>> pool_of; // of what was allocated in stream order
  std::vector<std::weak_ptr<Capture>> captures;

  struct Failure {
    int code, nth;
    bool lasting;
  };
  std::map<std::string, Failure> failures;
  std::map<std::string, uint64_t> calls;
  std::vector<std::string> reports;

  // Null for a handle that names no live stream.
  Stream* stream(CUstream handle);
  std::vector<Capture*> active_captures();
  void release_context(); // everything of the context goes
  std::vector<std::string> live() const;
};

} // namespace cutaway::cuda::sim
