"""make_models.py's networks as a torch module, for the shapes of one set of inputs (what follows from shapes alone is computed once)."""
import numpy as np
import onnx
import torch
import torch.nn.functional as F
from onnx import numpy_helper

# ONNX elem_type -> torch dtype.
TYPES = {onnx.TensorProto.FLOAT: torch.float32, onnx.TensorProto.INT64: torch.int64, onnx.TensorProto.BOOL: torch.bool}
# Operands that torch wants as Python numbers: op -> positions.
NUMBERS = {"Reshape": (1,), "Slice": (1, 2, 3, 4), "Unsqueeze": (1,), "Split": (1,), "Expand": (1,), "Clip": (1, 2), "Range": (0, 1, 2)}


def pads(attrs):
    p = attrs.get("pads", [0, 0, 0, 0])
    if p[:2] != p[2:]:
        raise RuntimeError("torch peer: uneven padding")
    return p[:2]


def conv(a, x, w, b=None):
    return F.conv2d(x, w, b, a.get("strides", 1), pads(a), a.get("dilations", 1), a.get("group", 1))


def conv_transpose(a, x, w, b=None):
    return F.conv_transpose2d(x, w, b, a.get("strides", 1), pads(a), 0, a.get("group", 1))


def gemm(a, x, w, b=None):
    y = (x.T if a.get("transA") else x) @ (w.T if a.get("transB") else w)
    return y if b is None else y + b


def reshape(a, x, shape):
    return x.reshape([x.shape[i] if n == 0 else n for i, n in enumerate(shape)])


def slice_(a, x, starts, ends, axes, steps=None):
    for start, end, axis, step in zip(starts, ends, axes, steps or [1] * len(starts)):
        index = [slice(None)] * x.dim()
        index[axis] = slice(start, end, step)
        x = x[tuple(index)]
    return x


def unsqueeze(a, x, axes):
    for axis in sorted(axes):
        x = x.unsqueeze(axis)
    return x


def gather(a, x, i):
    axis = a.get("axis", 0)
    return x[(slice(None),) * axis + (i,)] if i.dim() == 0 or axis else F.embedding(i, x) if x.dim() == 2 else x[i]


OPS = {
    "Conv": conv, "ConvTranspose": conv_transpose, "Gemm": gemm, "MatMul": lambda a, x, y: x @ y,
    "BatchNormalization": lambda a, x, g, b, m, v: F.batch_norm(x, m, v, g, b, False, 0.0, a.get("epsilon", 1e-5)),
    "LayerNormalization": lambda a, x, g, b: F.layer_norm(x, x.shape[-1:], g, b, a.get("epsilon", 1e-5)),
    "MaxPool": lambda a, x: F.max_pool2d(x, a["kernel_shape"], a.get("strides", 1), pads(a)),
    "GlobalAveragePool": lambda a, x: x.mean((2, 3), keepdim=True),
    "Flatten": lambda a, x: x.flatten(a.get("axis", 1)), "Relu": lambda a, x: F.relu(x), "Sigmoid": lambda a, x: torch.sigmoid(x),
    "Clip": lambda a, x, low, high: torch.clamp(x, low, high), "Erf": lambda a, x: torch.erf(x), "Tanh": lambda a, x: torch.tanh(x),
    "Add": lambda a, x, y: x + y, "Sub": lambda a, x, y: x - y, "Mul": lambda a, x, y: x * y, "Div": lambda a, x, y: x / y,
    "Pow": lambda a, x, y: x ** y, "Where": lambda a, c, x, y: torch.where(c, x, y), "Cast": lambda a, x: x.to(TYPES[a["to"]]),
    "Softmax": lambda a, x: F.softmax(x, a.get("axis", -1)), "Transpose": lambda a, x: x.permute(a["perm"]),
    "Concat": lambda a, *x: torch.cat(x, a["axis"]), "Split": lambda a, x, sizes: torch.split(x, sizes, a.get("axis", 0)),
    "Expand": lambda a, x, shape: x.expand(torch.broadcast_shapes(x.shape, tuple(shape))), "Reshape": reshape, "Slice": slice_,
    "Unsqueeze": unsqueeze, "Gather": gather, "Range": lambda a, start, end, step: torch.arange(start, end, step),
    "Shape": lambda a, x: torch.tensor(list(x.shape)),
}


class OnnxModule(torch.nn.Module):
    """forward(*inputs) -> tuple of outputs. `model`: a loaded ONNX model; `feeds`: name -> array, giving the shapes."""

    def __init__(self, model, feeds):
        super().__init__()
        graph = model.graph
        self.inputs, self.outputs = list(feeds), [o.name for o in graph.output]
        known = {w.name: torch.from_numpy(np.array(numpy_helper.to_array(w))) for w in graph.initializer}
        values = known | {name: torch.from_numpy(array) for name, array in feeds.items()}
        self.steps, self.slots = [], {}
        for node in graph.node:
            if node.op_type not in OPS:
                raise RuntimeError(f"torch peer: no {node.op_type}")
            attrs = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
            numbers = {i: values[n].tolist() for i, n in enumerate(node.input) if i in NUMBERS.get(node.op_type, ())}
            step = (OPS[node.op_type], attrs, list(node.input), numbers, list(node.output))
            with torch.no_grad():
                self._take(step, values)
            if node.op_type == "Shape" or all(n in known for n in node.input):
                known.update((n, values[n]) for n in node.output)
            else:
                self.steps.append(step)
        for name in {n for _, _, names, numbers, _ in self.steps for i, n in enumerate(names) if n in known and i not in numbers}:
            self.slots[name] = f"w{len(self.slots)}"
            self.register_buffer(self.slots[name], known[name])

    @staticmethod
    def _take(step, values):
        op, attrs, names, numbers, outs = step
        result = op(attrs, *(numbers[i] if i in numbers else values[n] for i, n in enumerate(names)))
        values.update(zip(outs, result if isinstance(result, tuple) else (result,)))

    def forward(self, *inputs):
        values = {name: getattr(self, slot) for name, slot in self.slots.items()}
        values.update(zip(self.inputs, inputs))
        for step in self.steps:
            self._take(step, values)
        return tuple(values[name] for name in self.outputs)
