// Stands in for the simulator in a build without the kernel compiler, or for another processor.
#include "backend/cuda/sim/sim.h"

namespace cutaway::cuda {

bool has_simulator() {
  return false;
}

Result<Api> simulated(const DeviceModel& model, std::shared_ptr<cpu::KernelCompiler>) {
  return unsupported("device " + model.name, "this program was built without the simulator",
                     "build with CUTAWAY_CPU_JIT=ON on x86-64, or use another device");
}

// Of a device that there is not.
void sim::note_next(Note) {}
void sim::set_checked(bool) {}
std::string sim::compiler_identity() {
  return {};
}
BlasCalls sim::blas_calls() {
  return {};
}
DnnCalls sim::dnn_calls() {
  return {};
}
std::vector<sim::Span> sim::timeline() {
  return {};
}

} // namespace cutaway::cuda
