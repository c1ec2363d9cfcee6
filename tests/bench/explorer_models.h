#pragma once
#include "trace/document.h"

#include <string>

// What bench_explorer opens: made here, so that sizes are exact and nothing need be fetched.
namespace cutaway::bench {

// An ONNX file of a BERT-like encoder with at least that many nodes, named as exporters name them
// ("/encoder/layer.7/attention/self/query/MatMul"): 49 nodes a layer in nine scopes. Tensors are tiny, structure is not.
std::string encoderModel(int nodes);

// `steps` steps over a graph: two in three put an op into a group of its neighbourhood, one in six is a refusal with
// its note, one in six inserts an op into an edge. Every step has a title, an explanation and metrics of its own.
trace::Document longDocument(const trace::GraphDoc& first, uint32_t steps);

} // namespace cutaway::bench
