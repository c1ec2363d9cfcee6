"""The other runtimes behind one face, their inputs, and the peak of this processor. Runs inside peers.py's environment."""
import shutil
import subprocess
import time
from pathlib import Path

import numpy as np
import onnx

# Fused multiply-adds on registers only; prints GFLOP/s of one thread, then of all.
PEAK_C = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#if defined(__AVX512F__)
#define WIDTH 64
#elif defined(__AVX__)
#define WIDTH 32
#else
#define WIDTH 16
#endif
typedef float vec __attribute__((vector_size(WIDTH)));
enum { chains = 12, rounds = 20000000 };
static volatile float sink;
static void* work(void* arg) {
  vec acc[chains], x = {0}, y = {0};
  x = x + 0.999f + *(float*)arg, y = y + 1e-6f;
  for (int k = 0; k < chains; ++k) acc[k] = y * (float)k;
  for (int i = 0; i < rounds; ++i)
#pragma GCC unroll 12
    for (int k = 0; k < chains; ++k) acc[k] = acc[k] * x + y;
  for (int k = 1; k < chains; ++k) acc[0] += acc[k];
  sink = acc[0][0];
  return 0;
}
static double timed(int threads) {
  pthread_t id[256];
  float zero = 0;
  struct timespec a, b;
  clock_gettime(CLOCK_MONOTONIC, &a);
  for (int t = 0; t < threads; ++t) pthread_create(&id[t], 0, work, &zero);
  for (int t = 0; t < threads; ++t) pthread_join(id[t], 0);
  clock_gettime(CLOCK_MONOTONIC, &b);
  double seconds = (b.tv_sec - a.tv_sec) + 1e-9 * (b.tv_nsec - a.tv_nsec);
  return 2.0 * rounds * chains * (WIDTH / 4) * threads / seconds * 1e-9;
}
int main(int argc, char** argv) {
  int threads = argc > 1 ? atoi(argv[1]) : 1;
  double one = 0, all = 0;
  for (int k = 0; k < 3; ++k) {
    double a = timed(1), b = timed(threads);
    if (a > one) one = a;
    if (b > all) all = b;
  }
  printf("%f %f\n", one, all);
}
"""


def measured_peak(folder, threads):
    """{"one", "all"} in GFLOP/s, best of three; None without a C compiler."""
    compiler = next((c for c in ("cc", "clang-19", "clang", "gcc") if shutil.which(c)), None)
    if not compiler:
        return None
    source, program = Path(folder) / "peak.c", Path(folder) / "peak"
    source.write_text(PEAK_C)
    flags = ["-O3", "-march=native", "-ffp-contract=fast", "-pthread"]
    if subprocess.run([compiler, *flags, str(source), "-o", str(program)], check=False).returncode:
        return None
    one, alls = subprocess.run([str(program), str(threads)], capture_output=True, text=True, check=True).stdout.split()
    return {"one": float(one), "all": float(alls)}


def make_feeds(model, dims):
    """One seeded array an input: small ids for integers (a mask of ones, types of zero), normal numbers for floats."""
    rng = np.random.default_rng(0)
    feeds = {}
    graph = onnx.load(model, load_external_data=False).graph
    weights = {w.name for w in graph.initializer}
    for value in graph.input:
        if value.name in weights:
            continue
        tensor = value.type.tensor_type
        shape = [d.dim_value if d.HasField("dim_value") else dims[d.dim_param] for d in tensor.shape.dim]
        if tensor.elem_type == onnx.TensorProto.FLOAT:
            feeds[value.name] = rng.standard_normal(shape, dtype=np.float32)
        elif "mask" in value.name:
            feeds[value.name] = np.ones(shape, np.int64)
        elif "type" in value.name:
            feeds[value.name] = np.zeros(shape, np.int64)
        else:
            feeds[value.name] = rng.integers(1000, 30000, shape)
    return feeds


class Peer:
    """A runtime with `run()` -> list of outputs, in the order of `names`."""

    def outputs(self):
        return dict(zip(self.names, (np.asarray(o) for o in self.run())))

    def burst(self, repeat):
        """Median of `repeat` runs in ms, after one to warm up."""
        self.run()
        times = []
        for _ in range(repeat):
            start = time.perf_counter()
            self.run()
            times.append(time.perf_counter() - start)
        return float(np.median(times)) * 1000


class OnnxRuntime(Peer):
    name = "onnxruntime"

    def __init__(self, model, feeds, threads):
        import onnxruntime as ort
        options = ort.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
        # Its threads must not spin on while another engine has its turn.
        options.add_session_config_entry("session.force_spinning_stop", "1")
        self.session = ort.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        self.names = [o.name for o in self.session.get_outputs()]
        self.feeds = feeds

    def run(self):
        return self.session.run(None, self.feeds)


class OpenVino(Peer):
    name = "openvino"

    def __init__(self, model, feeds, threads):
        import openvino as ov
        core = ov.Core()
        read = core.read_model(str(model))
        read.reshape({name: list(array.shape) for name, array in feeds.items()})
        hints = {"INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32", "NUM_STREAMS": 1}
        compiled = core.compile_model(read, "CPU", hints)
        self.names = [o.get_any_name() for o in compiled.outputs]
        self.request = compiled.create_infer_request()
        self.feeds = feeds

    def run(self):
        results = self.request.infer(self.feeds, share_inputs=True, share_outputs=True)
        return [results[name] for name in self.names]


class Torch(Peer):
    name = "torch.compile"

    def __init__(self, model, feeds, threads):
        import torch
        from torch_peer import OnnxModule
        torch.set_num_threads(threads)
        module = OnnxModule(onnx.load(model), feeds).eval()
        self.torch, self.names = torch, module.outputs
        self.args = [torch.from_numpy(feeds[name]) for name in module.inputs]
        torch._inductor.config.freezing = True  # as torch.compile is measured at its best
        self.module = torch.compile(module, fullgraph=True)

    def run(self):
        with self.torch.no_grad():
            return self.module(*self.args)


def make_peer(name, model, feeds, threads):
    return {"ort": OnnxRuntime, "openvino": OpenVino, "torch": Torch}[name](model, feeds, threads)
