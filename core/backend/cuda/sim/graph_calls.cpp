#include "backend/cuda/sim/submit.h"

#include <algorithm>
#include <set>

namespace cutaway::cuda::sim {

namespace {

const std::vector<CUgraphNode>& node_handles(Sim& sim, const std::shared_ptr<Graph>& graph) {
  while (graph->handles.size() < graph->nodes.size())
    graph->handles.push_back(sim.nodes.add(std::make_shared<NodeRef>(NodeRef{graph, graph->handles.size()})));
  return graph->handles;
}

CUresult get_nodes(Call& call, CUgraph handle, CUgraphNode* out, size_t* count) {
  const std::shared_ptr<Graph> graph = call.sim().graphs.find(handle);
  if (!graph) return CUDA_ERROR_INVALID_HANDLE;
  if (!count) return CUDA_ERROR_INVALID_VALUE;
  const std::vector<CUgraphNode>& nodes = node_handles(call.sim(), graph);
  if (out) {
    std::fill(out, out + *count, nullptr);
    std::copy_n(nodes.begin(), std::min(*count, nodes.size()), out);
  }
  *count = out ? std::min(*count, nodes.size()) : nodes.size();
  return CUDA_SUCCESS;
}

CUresult node_type(Call& call, CUgraphNode handle, CUgraphNodeType* out) {
  const std::shared_ptr<NodeRef> ref = call.sim().nodes.find(handle);
  const std::shared_ptr<Graph> graph = ref ? ref->graph.lock() : nullptr;
  if (!graph) return CUDA_ERROR_INVALID_HANDLE;
  *out = graph->nodes[ref->index].work.type;
  return CUDA_SUCCESS;
}

CUresult instantiate(Call& call, CUgraphExec* out, CUgraph handle, unsigned long long flags) {
  Sim& sim = call.sim();
  const std::shared_ptr<Graph> graph = sim.graphs.find(handle);
  if (!graph) return CUDA_ERROR_INVALID_HANDLE;
  if (flags != 0) return CUDA_ERROR_NOT_SUPPORTED;
  auto exec = std::make_shared<GraphExec>();
  exec->nodes = graph->nodes;
  exec->sources = node_handles(sim, graph);
  exec->graph = graph;
  std::set<size_t> continued; // a lane goes on through the first successor of each node
  for (const Node& node : exec->nodes) {
    int lane = -1;
    for (size_t a : node.after)
      if (lane < 0 && continued.insert(a).second) lane = exec->lanes[a];
    exec->lanes.push_back(lane < 0 ? sim.order.new_lane() : lane);
  }
  *out = sim.execs.add(std::move(exec));
  return CUDA_SUCCESS;
}

CUresult upload(Call& call, CUgraphExec handle, CUstream stream_handle) {
  const Stream* stream = call.sim().stream(stream_handle);
  if (!call.sim().execs.find(handle) || !stream) return CUDA_ERROR_INVALID_HANDLE;
  if (stream->capture) return forbidden(*stream->capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  return CUDA_SUCCESS;
}

// Launches of one executable graph never overlap.
CUresult launch(Call& call, CUgraphExec handle, CUstream stream_handle) {
  Sim& sim = call.sim();
  const std::shared_ptr<GraphExec> exec = sim.execs.find(handle);
  Stream* stream = sim.stream(stream_handle);
  if (!exec || !stream) return CUDA_ERROR_INVALID_HANDLE;
  if (stream->capture) return forbidden(*stream->capture, CUDA_ERROR_NOT_SUPPORTED); // child graphs
  order_default(sim, *stream);
  sim.clock.spend(sim.device.graph_launch_us, "graph of " + std::to_string(exec->nodes.size()), stream->id);
  Point begin = stream->tail, end = exec->nodes.empty() ? stream->tail : Point{};
  join(begin, exec->last);
  std::vector<Point> at(exec->nodes.size());
  for (size_t n = 0; n < exec->nodes.size(); ++n) {
    const Node& node = exec->nodes[n];
    Point start = node.after.empty() ? begin : Point{};
    for (size_t a : node.after) join(start, at[a]);
    if (!node.after.empty()) start.us += sim.device.graph_node_gap_us;
    at[n] = issue(sim, node.work, std::move(start), exec->lanes[n], stream->id);
    join(end, at[n]);
  }
  stream->tail = exec->last = std::move(end);
  return CUDA_SUCCESS;
}

bool same_shape(const std::vector<Node>& a, const std::vector<Node>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Node& x, const Node& y) { return x.after == y.after; });
}

CUgraphExecUpdateResult compare(const GraphExec& exec, const Graph& graph, size_t& guilty) {
  if (!same_shape(exec.nodes, graph.nodes)) return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
  for (guilty = 0; guilty < exec.nodes.size(); ++guilty) {
    const Work &before = exec.nodes[guilty].work, &after = graph.nodes[guilty].work;
    if (before.type != after.type) return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
    if (before.unit != after.unit) return CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED; // the direction of a copy
  }
  return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

CUresult update(Call& call, CUgraphExec exec_handle, CUgraph graph_handle, CUgraphExecUpdateResultInfo* info) {
  Sim& sim = call.sim();
  const std::shared_ptr<GraphExec> exec = sim.execs.find(exec_handle);
  const std::shared_ptr<Graph> graph = sim.graphs.find(graph_handle);
  if (!exec || !graph) return CUDA_ERROR_INVALID_HANDLE;
  if (!info) return CUDA_ERROR_INVALID_VALUE;
  size_t guilty = 0;
  *info = {compare(*exec, *graph, guilty), nullptr, nullptr};
  if (info->result == CU_GRAPH_EXEC_UPDATE_SUCCESS) {
    for (size_t n = 0; n < exec->nodes.size(); ++n) exec->nodes[n].work = graph->nodes[n].work;
    return CUDA_SUCCESS;
  }
  if (info->result != CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED) info->errorNode = node_handles(sim, graph)[guilty];
  return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
}

CUresult set_params(Call& call, CUgraphExec handle, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* p) {
  Sim& sim = call.sim();
  std::optional<Note> note = take_note();
  const std::shared_ptr<GraphExec> exec = sim.execs.find(handle);
  const std::shared_ptr<Function> function = p ? sim.functions.find(p->func) : nullptr;
  if (!exec || !function) return CUDA_ERROR_INVALID_HANDLE;
  const auto at = std::find(exec->sources.begin(), exec->sources.end(), node);
  if (at == exec->sources.end() || !sim.nodes.find(node)) return CUDA_ERROR_INVALID_VALUE;
  Work& work = exec->nodes[size_t(at - exec->sources.begin())].work;
  std::shared_ptr<Launch> launch = make_launch(function.get(), {p->gridDimX, p->gridDimY, p->gridDimZ},
                                               {p->blockDimX, p->blockDimY, p->blockDimZ}, p->sharedMemBytes, p->kernelParams);
  if (!launch || !work.launch) return CUDA_ERROR_INVALID_VALUE;
  describe(work, std::move(launch), std::move(note), function->kernel->name);
  return CUDA_SUCCESS;
}

CUresult destroy_exec(Call& call, CUgraphExec handle) {
  Sim& sim = call.sim();
  const std::shared_ptr<GraphExec> exec = sim.execs.take(handle);
  if (!exec) return CUDA_ERROR_INVALID_HANDLE;
  join(sim.gone, exec->last);
  return CUDA_SUCCESS;
}

CUresult destroy(Call& call, CUgraph handle) {
  Sim& sim = call.sim();
  const std::shared_ptr<Graph> graph = sim.graphs.take(handle);
  if (!graph) return CUDA_ERROR_INVALID_HANDLE;
  for (CUgraphNode node : graph->handles) sim.nodes.take(node);
  return CUDA_SUCCESS;
}

} // namespace

void put_graph_calls(Api& api) {
  put<"cuGraphGetNodes", Scope::context, get_nodes>(api.cuGraphGetNodes);
  put<"cuGraphNodeGetType", Scope::context, node_type>(api.cuGraphNodeGetType);
  put<"cuGraphInstantiateWithFlags", Scope::context, instantiate>(api.cuGraphInstantiateWithFlags);
  put<"cuGraphUpload", Scope::context, upload>(api.cuGraphUpload);
  put<"cuGraphLaunch", Scope::context, launch>(api.cuGraphLaunch);
  put<"cuGraphExecUpdate", Scope::context, update>(api.cuGraphExecUpdate);
  put<"cuGraphExecKernelNodeSetParams", Scope::context, set_params>(api.cuGraphExecKernelNodeSetParams);
  put<"cuGraphExecDestroy", Scope::context, destroy_exec>(api.cuGraphExecDestroy);
  put<"cuGraphDestroy", Scope::context, destroy>(api.cuGraphDestroy);
}

} // namespace cutaway::cuda::sim
