#include "codegen/reduction.h"

#include "codegen/cuda/print.h"

#include <algorithm>
#include <fmt/format.h>

namespace cutaway::codegen::cuda {
namespace {

constexpr int64_t most_held = 8;           // elements of a row that one thread keeps in registers
constexpr int64_t most_shared = 40 << 10;  // of a block, that every device has
constexpr int64_t busy_threads = 1 << 17;  // that keep a large device busy
constexpr int64_t column_rows = 32;        // rows side by side, where the fastest dim stays

// Who sums a row. Lanes of one warp exchange by shuffles; whole blocks, and columns (threads side by side take neighbouring
// rows, their lanes lie behind each other), through shared memory.
struct Team {
  enum Kind { warp, block, column } kind = warp;
  int64_t lanes = 1;
  int threads = block_threads;

  int64_t rows_a_block() const { return kind == block ? 1 : threads / lanes; }
  const char* name() const { return kind == warp ? (lanes == 1 ? "thread" : "warp part") : kind == block ? "block" : "column"; }
};

// Whether the result hangs on the order of what is combined.
bool needs_order(const NestPrinter& p, const std::vector<NodeId>& nodes) {
  return std::any_of(nodes.begin(), nodes.end(), [&](NodeId id) {
    const Node& n = p.g.node(id);
    return (n.op == Op::reduce_sum || n.op == Op::reduce_prod) && is_float(p.g.type(n.outputs[0]).dtype);
  });
}

int64_t power_of_two(int64_t at_least) {
  int64_t n = 1;
  while (n < at_least) n *= 2;
  return n;
}

Team choose_team(int64_t rows, int64_t inner, bool fastest_stays, bool in_order) {
  if (in_order) return {};
  if (fastest_stays) {
    const int64_t wanted = std::clamp<int64_t>(busy_threads / rows, 1, std::max<int64_t>(inner / 8, 1));
    const int64_t lanes = std::min<int64_t>(power_of_two((wanted + 1) / 2), 16);
    return {Team::column, lanes, static_cast<int>(lanes * column_rows)};
  }
  if (inner <= 256) return {Team::warp, std::min<int64_t>(power_of_two((inner + 3) / 4), 32), block_threads};
  const int64_t lanes = inner <= 1024 ? 128 : inner <= 2048 ? 256 : 512;
  return {Team::block, lanes, static_cast<int>(lanes)};
}

class RowPrinter {
 public:
  RowPrinter(NestPrinter& p, const std::vector<NodeId>& nodes, RowGroup group, CudaKernel& kernel, bool in_order)
      : n_(p, nodes, std::move(group)), p_(p), kernel_(kernel), index_(p.dialect.index), rows_(n_.rows()), inner_(n_.inner()) {
    std::vector<int64_t> strides = plan::dense_strides(n_.r.dims, {});
    for (NodeId id : nodes)
      for (ValueId v : n_.node(id).inputs)
        if (!p.in_group(v) && static_dims(p.g.type(v).shape) == n_.r.dims) strides = p.storage.access(v).strides;
    for (const LoopDim& l : loop_order(n_.r.dims, strides)) (n_.reduced(l.dim) ? reduced_ : kept_).push_back(l);
    if (in_order) std::sort(reduced_.begin(), reduced_.end(), [](const LoopDim& a, const LoopDim& b) { return a.dim < b.dim; });
    const auto order = loop_order(n_.r.dims, strides);
    const bool stays = !order.empty() && order.back().extent >= 8 && !n_.reduced(order.back().dim);
    team_ = choose_team(rows_, inner_, stays, in_order);
  }

  void print() {
    keep();
    for (int s = 0; s <= n_.r.stages; ++s) {
      body_ += n_.row_statements(s, form_);
      loop(s);
    }
    finish();
  }

 private:
  int64_t turns() const { return (inner_ + team_.lanes - 1) / team_.lanes; }
  const char* type(ValueId v) const { return c_type(p_.g.type(v).dtype); }

  // Values that a later loop reads stay in registers, or of a block's row in shared memory, or are made again.
  void keep() {
    const auto wanted = n_.worth_keeping();
    in_registers_ = turns() <= most_held;
    std::vector<int64_t> slots;
    int64_t bytes = 0;
    for (ValueId v : wanted) {
      slots.push_back(bytes);
      bytes += (inner_ * dtype_size(is_half(p_.g.type(v).dtype) ? DType::f32 : p_.g.type(v).dtype) + 15) / 16 * 16;
    }
    if (!in_registers_ && (team_.kind != Team::block || bytes > most_shared)) return;
    kept_values_ = wanted;
    if (!in_registers_) kernel_.shared_bytes = bytes;
    for (size_t i = 0; i < wanted.size(); ++i) {
      const ValueId v = wanted[i];
      if (in_registers_) body_ += fmt::format("  {} v{}_held[{}];\n", type(v), v.v, turns());
      else body_ += fmt::format("  CW_SHARED({}, v{}_held, {});\n", type(v), v.v, slots[i]);
    }
  }

  // One thread of a team stores what all of its threads know; nobody stores past the last row.
  std::string guarded(std::string statement, bool once) const {
    std::string condition = tail() ? "live" : "";
    if (once && team_.lanes > 1) condition += (condition.empty() ? "" : " && ") + std::string("lane == 0");
    return condition.empty() ? statement : fmt::format("if ({}) {{ {} }}", condition, statement);
  }
  bool tail() const { return rows_ % team_.rows_a_block() != 0; }

  void loop(int s) {
    const RowNest::Loop goals = n_.loop_of(s, kept_values_);
    if (!goals.any) return;
    body_ += n_.accumulators(goals, form_);
    open_loop();
    body_ += split_row(reduced_, "k", p_.dialect) + n_.loop_statements(s, goals, kept_values_, form_);
    body_ += "  }\n";
    for (const Node* n : goals.reductions) share(*n);
  }

  // One turn of the loop a register, so that each keeps its place.
  void open_loop() {
    const auto end = p_.dialect.number(inner_);
    const std::string first = team_.lanes == 1 ? "0" : "lane";
    if (!in_registers_ || kept_values_.empty()) {
      body_ += fmt::format("  for ({} k = {}; k < {}; k += {}) {{\n", index_, first, end, team_.lanes);
      return;
    }
    body_ += fmt::format("#pragma unroll\n  for (int turn = 0; turn < {}; ++turn) {{\n    const {} k = {} + turn * {};\n", turns(), index_, first, team_.lanes);
    if (turns() * team_.lanes != inner_) body_ += fmt::format("    if (k >= {}) break;\n", end);
  }

  // Combines what the lanes have, so that each of them knows the whole.
  void share(const Node& n) {
    const ValueId v = n.outputs[0];
    const DType t = p_.g.type(v).dtype;
    const std::string acc = fmt::format("acc{}", v.v);
    const DType held = std::string(sum_type(n.op, t)) == "double" ? DType::f64 : t;
    if (team_.lanes == 1) return;
    if (team_.kind != Team::column)
      for (int64_t mask = std::min<int64_t>(team_.lanes, 32) / 2; mask > 0; mask /= 2)
        body_ += fmt::format("  {} = {};\n", acc, combine(n.op, t, acc, fmt::format("cw_lane_{}({}, {})", suffix(held), acc, mask)));
    if (team_.kind == Team::warp) return;
    // A row of parts a reduction: none is written again, so one barrier is enough.
    const int64_t across = team_.kind == Team::block ? 1 : column_rows, parts = team_.kind == Team::block ? team_.lanes / 32 : team_.lanes;
    const std::string part = fmt::format("acc{}_part", v.v);
    body_ += fmt::format("  CW_SHARED({}, {}, {});\n", sum_type(n.op, t), part, kernel_.shared_bytes);
    kernel_.shared_bytes += (across * parts * 8 + 15) / 16 * 16;
    if (team_.kind == Team::block) {
      body_ += fmt::format("  if (lane % 32 == 0) {}[lane / 32] = {};\n  __syncthreads();\n  {} = {}[0];\n", part, acc, acc, part);
    } else {
      body_ += fmt::format("  {}[threadIdx.x] = {};\n  __syncthreads();\n  {} = {}[threadIdx.x % {}];\n", part, acc, acc, part, across);
    }
    const std::string other = team_.kind == Team::block ? part + "[part]" : fmt::format("{}[part * {} + threadIdx.x % {}]", part, across, across);
    body_ += fmt::format("  for (int part = 1; part < {}; ++part) {} = {};\n", parts, acc, combine(n.op, t, acc, other));
  }

  void finish() {
    kernel_.threads = team_.threads;
    const int64_t rows = team_.rows_a_block();
    kernel_.grid = {(rows_ + rows - 1) / rows, 1, 1};
    std::string head;
    const std::string row = tail() ? "wanted" : "row";
    if (team_.kind == Team::block) {
      head = fmt::format("  const {0} lane = threadIdx.x, row = blockIdx.x;\n", index_);
    } else if (team_.lanes == 1) {
      head = global_thread(p_.dialect, row, team_.threads);
    } else {
      const bool side = team_.kind == Team::column;
      head = fmt::format("  const {0} lane = threadIdx.x {1} {2}, {3} = ({0})blockIdx.x * {4} + threadIdx.x {5} {6};\n", index_, side ? "/" : "%", side ? column_rows : team_.lanes,
                         row, rows, side ? "%" : "/", side ? column_rows : team_.lanes);
    }
    // Threads past the last row work on it too, since they take part in exchanges.
    if (tail()) head += fmt::format("  const bool live = wanted < {0};\n  const {1} row = live ? wanted : {0} - 1;\n", p_.dialect.number(rows_), index_);
    kernel_.text = head + split_row(kept_, "row", p_.dialect) + body_;
    kernel_.loop_nest = nest_text(p_.g, kernel_, {fmt::format("for row of {}: {} of {}", rows_, team_.name(), team_.lanes), fmt::format("for k of {}, {} a lane", inner_, turns())});
  }

  RowNest n_;
  NestPrinter& p_;
  CudaKernel& kernel_;
  std::string index_;
  int64_t rows_, inner_;
  std::vector<LoopDim> kept_, reduced_; // dims by their place in memory, slowest first
  Team team_;
  std::vector<ValueId> kept_values_;
  bool in_registers_ = false;
  const RowNest::Form form_{"  ", [this](ValueId v) { return fmt::format("v{}_held[{}]", v.v, in_registers_ ? "turn" : "k"); },
                            [this](std::string store, bool of_row) { return guarded(std::move(store), of_row); }};
  std::string body_;
};

} // namespace

bool print_rows(NestPrinter& p, const std::vector<NodeId>& nodes, CudaKernel& kernel, const CudaOptions& options) {
  auto group = RowGroup::of(p, nodes);
  if (!group) return false;
  RowPrinter(p, nodes, *group, kernel, options.strict && needs_order(p, nodes)).print();
  if (kernel.shared_bytes <= most_shared + (8 << 10)) return true;
  kernel.shared_bytes = 0; // too many sums for a block to exchange: a thread a row
  RowPrinter(p, nodes, *group, kernel, true).print();
  return true;
}

} // namespace cutaway::codegen::cuda
