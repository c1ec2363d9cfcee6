#pragma once
#include "backend/cuda/api.h"
#include "backend/cuda/blas_calls.h"
#include "backend/cuda/dnn_calls.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

// The simulated driver runs the kernels of the dialect on this CPU, asynchronously as a GPU does. It has one device and
// its primary context. It does not have: memory nodes and child graphs, packed parameters, overlap of dependent launches,
// per-thread default streams; it does not see races between the threads of one kernel.
//
// This is its side door: what only it can do. The CUDA backend never needs it; the runtime's simulated
// device and tests do. All of it may be called from any thread once simulated() gave a table; times are modelled.
namespace cutaway::cuda::sim {

// Bytes that an operation reads, or also writes.
struct Range {
  CUdeviceptr begin = 0, end = 0;
  bool write = false;
};

// What a launch says of itself: its name in reports and on the timeline, the bytes that it touches (all of them, or none
// given), and what its time is modelled from. bytes = 0: as many as it touches.
struct Note {
  std::string label;
  std::vector<Range> touches;
  double bytes = 0, flops = 0;
};
// Describes the next operation that this thread submits or captures, or the node whose parameters it sets.
void note_next(Note note);
// All that the images of simulated NVRTC hang on beside text and options: they hold code of this machine.
std::string compiler_identity();
// cuBLASLt and cuDNN on the simulated device; null functions where there is no simulator.
BlasCalls blas_calls();
DnnCalls dnn_calls();

// From now on the nth call by this name (1: the next) fails with `code` and does nothing; with `lasting`, so does every
// later call that needs a context: a lost device. Codes are of CUresult, for NVRTC's calls of nvrtcResult.
void fail_nth(const std::string& call, int code, int nth = 1, bool lasting = false);

// Which of the operations that are ready the device runs next. Only order that events and streams enforce is kept.
enum class Pick { oldest, newest, random };
void set_pick(Pick pick, uint64_t seed = 1);

// Programs compiled from now on check each access against the live allocations and the launch's declared ranges.
void set_checked(bool on);
// A kernel that runs longer than this in real time ends with CUDA_ERROR_LAUNCH_TIMEOUT. At first 60 seconds.
void set_watchdog_ms(int ms);
// While held the device starts nothing.
void hold(bool on);
// As if the process started anew, on the same device: every handle is void, nothing has failed.
void reset();

// Faults of kernels, races, leaks and misuse, in words, since the last call.
std::vector<std::string> take_reports();
// What is allocated, created or loaded now and not yet given back, one line each.
std::vector<std::string> live();

enum class Unit { kernel, to_device, to_host, within, host, none };
struct Span {
  std::string label;
  Unit unit = Unit::none;
  int stream = 0; // 0: the default stream; streams count from 1 in the order of their creation
  double begin_us = 0, end_us = 0;
  int sms = 0; // multiprocessors that a kernel occupies
};
// Modelled times of what was submitted, in that order; the latest million.
std::vector<Span> timeline();

// Real work done: threads run, switches between them, blocks, seconds in kernels.
struct Counters {
  uint64_t threads = 0, switches = 0, blocks = 0;
  double device_s = 0;
};
Counters counters();
// How often each call was made since the driver started.
std::map<std::string, uint64_t> calls();

} // namespace cutaway::cuda::sim
