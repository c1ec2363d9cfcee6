#pragma once
#include "backend/cuda/sim/call.h"

namespace cutaway::cuda::sim {

// A call that captures in progress forbid to this thread: where there are such, it fails with `code` and they become
// invalid.
CUresult forbidden(Sim& sim, CUresult code);
// The same for a call that conflicts with one capture, whatever its mode.
CUresult forbidden(Capture& capture, CUresult code);

// Waits for a point, or for everything; what was waited for is known to all that is submitted later.
CUresult settle(Call& call, const Point* point);

// An operation starts after `at`, on a lane: its end.
Point issue(Sim& sim, Work work, Point at, int lane, int stream);

// The default stream and blocking streams wait for one another; all follows what the host knows.
void order_default(Sim& sim, Stream& stream);

// Submits an operation to a stream, or adds it to the graph that the stream captures.
CUresult post(Call& call, CUstream stream, Work work, const std::string& label);

// Pools keep no more than their thresholds: what synchronising does.
void trim_pools(Sim& sim);
// An allocation leaves the account of its pool, if it is of one; whether it was.
bool forget_pooled(Sim& sim, CUdeviceptr at);

// The launch of a function, checked; null: CUDA_ERROR_INVALID_VALUE.
constexpr unsigned max_block = 1024;
std::shared_ptr<Launch> make_launch(const Function* function, CwDim3 grid, CwDim3 block, unsigned shared, void** params);

// Replaces what is said of the work by the note, and hands its ranges to the launch.
void describe(Work& work, std::shared_ptr<Launch> launch, std::optional<Note> note, const std::string& label);

} // namespace cutaway::cuda::sim
