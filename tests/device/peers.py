#!/usr/bin/env python3
"""Times our kernels against PyTorch's, eager and compiled, on the same shapes; prints a JSON list.

usage: tests/device/peers.py CUTAWAY [DEVICE]
Needs PyTorch with CUDA. A row has the microseconds that the device is busy, `ours` as the profile of one run says, the
others by events over 50 calls: {"case", "ours", "eager", "compiled"}; where one could not be had it is null, with "why".
Convolutions of PyTorch are cuDNN's, its products cuBLASLt's.
"""
import json
import os
import subprocess
import sys
import tempfile

import torch

torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
NAMES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}


def graph(params, nodes, result):
    lines = ['graph "case" {']
    for i, (name, kind, shape) in enumerate(params):
        lines.append(f'  n{i} %{i} "{name}" = param() {{index = {i}, shape = shape {shape}, to = type {kind}}} : {kind}{shape}')
    for i, node in enumerate(nodes, len(params)):
        lines.append(f"  n{i} %{i} = {node}")
    return "\n".join([*lines, f'  return %{len(params) + len(nodes) - 1} "{result}"', "}"]) + "\n"


def product(kind, batch, m, n, k):
    a, b, c = [batch, m, k], [batch, k, n], [batch, m, n]
    return graph([("a", kind, a), ("b", kind, b)], [f"dot_general(%0, %1) : {kind}{c}"], "c"), [a, b], kind, torch.matmul


def product_gelu(kind, m, n, k):
    """A product with an epilogue, which our compiler fuses."""
    a, b, c = [1, m, k], [1, k, n], [1, m, n]
    nodes = [f"dot_general(%0, %1) : {kind}{c}", f"tanh(%2) : {kind}{c}", f"mul(%2, %3) : {kind}{c}"]
    return graph([("a", kind, a), ("b", kind, b)], nodes, "y"), [a, b], kind, lambda x, w: (lambda y: y * torch.tanh(y))(torch.matmul(x, w))


def convolution(kind, batch, channels, size, out, kernel, groups):
    x, w, y = [batch, channels, size, size], [out, channels // groups, kernel, kernel], [batch, out, size, size]
    pad = kernel // 2
    node = f"conv(%0, %1) {{dilations = [1, 1], groups = {groups}, pad_high = [{pad}, {pad}], pad_low = [{pad}, {pad}], strides = [1, 1]}} : {kind}{y}"
    return graph([("x", kind, x), ("w", kind, w)], [node], "y"), [x, w], kind, lambda a, b: torch.nn.functional.conv2d(a, b, padding=pad, groups=groups)


def softmax(kind, rows, columns):
    x, one = [rows, columns], [rows, 1]
    nodes = [f"reduce_max(%0) {{axes = [1], keepdims = 1}} : {kind}{one}", f"sub(%0, %1) : {kind}{x}", f"exp(%2) : {kind}{x}", f"reduce_sum(%3) {{axes = [1], keepdims = 1}} : {kind}{one}", f"div(%3, %4) : {kind}{x}"]
    return graph([("x", kind, x)], nodes, "y"), [x], kind, lambda a: torch.softmax(a, 1)


CASES = {
    "product f32 512": product("f32", 1, 512, 512, 512),
    "product f32 2048": product("f32", 1, 2048, 2048, 2048),
    "product f16 4096": product("f16", 1, 4096, 4096, 4096),
    "products f16 12 of 128x128x64": product("f16", 12, 128, 128, 64),
    "product f16 of one row, 4096": product("f16", 1, 1, 4096, 4096),
    "product and epilogue f16 1024": product_gelu("f16", 1024, 1024, 1024),
    "convolution f32 64 channels 56x56": convolution("f32", 1, 64, 56, 64, 3, 1),
    "convolution f32 256 channels 14x14": convolution("f32", 8, 256, 14, 256, 3, 1),
    "depthwise f32 96 channels 56x56": convolution("f32", 1, 96, 56, 96, 3, 96),
    "softmax f32 4096x1024": softmax("f32", 4096, 1024),
}


def ours(cutaway, device, text, folder):
    """Microseconds of the kernels of one run, launched one by one."""
    model, profile = os.path.join(folder, "case.cut"), os.path.join(folder, "profile.json")
    with open(model, "w") as file:
        file.write(text)
    subprocess.run([cutaway, "run", model, "--device", device, "--profile", profile], check=True, capture_output=True, timeout=120)
    with open(profile) as file:
        spans = [e for e in json.load(file)["traceEvents"] if e.get("ph") == "X" and e.get("cat") == "kernel"]
    first = min(e["pid"] for e in spans)
    return sum(e["dur"] for e in spans if e["pid"] == first)


def theirs(run, tensors):
    for _ in range(5):
        run(*tensors)
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    best = float("inf")
    for _ in range(3):
        start.record()
        for _ in range(50):
            run(*tensors)
        stop.record()
        torch.cuda.synchronize()
        best = min(best, 1000 * start.elapsed_time(stop) / 50)
    return best


def main():
    cutaway, device = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "cuda"
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, (text, shapes, kind, run) in CASES.items():
            row = {"case": name, "ours": None, "eager": None, "compiled": None}
            tensors = [torch.randn(shape, device="cuda").to(NAMES[kind]) for shape in shapes]
            for key, time in (("ours", lambda: ours(cutaway, device, text, folder)), ("eager", lambda: theirs(run, tensors)), ("compiled", lambda: theirs(torch.compile(run), tensors))):
                try:
                    row[key] = time()
                except Exception as error:  # one way that fails costs its own number
                    row["why"] = f"{key}: {type(error).__name__}: {error}"[:300]
            rows.append(row)
    json.dump(rows, sys.stdout)


if __name__ == "__main__":
    main()
