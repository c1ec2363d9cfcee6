#include "codegen/reduction.h"

#include <algorithm>
#include <fmt/format.h>

namespace cutaway::codegen {
namespace {

// Prints a group of reductions over the same axes with elementwise work before, between and after, row by row.
class RowPrinter {
 public:
  RowPrinter(NestPrinter& p, const std::vector<NodeId>& nodes, RowGroup group, Kernel& kernel, bool strict)
      : n_(p, nodes, std::move(group)), p_(p), kernel_(kernel), strict_(strict), kept_(n_.worth_keeping()) {}

  void print() {
    for (ValueId v : kept_) {
      slot_[v.v] = kernel_.scratch_bytes;
      kernel_.scratch_bytes += (n_.inner() * dtype_size(p_.g.type(v).dtype == DType::f64 ? DType::f64 : DType::i64) + 63) / 64 * 64;
    }
    for (int s = 0; s <= n_.r.stages; ++s) {
      body_ += n_.row_statements(s, form_);
      loop(s);
    }
    finish();
  }

 private:
  void loop(int s) {
    const RowNest::Loop goals = n_.loop_of(s, kept_);
    if (!goals.any) return;
    body_ += n_.accumulators(goals, form_);
    std::string indent = "    ";
    for (int64_t a : n_.r.axes) {
      if (n_.r.dims[static_cast<size_t>(a)] != 1) body_ += fmt::format("{0}for (long i{1} = 0; i{1} < {2}L; ++i{1})\n", indent, a, n_.r.dims[static_cast<size_t>(a)]);
      indent += " ";
    }
    body_ += indent + "{\n";
    if (!strict_ && !goals.reductions.empty()) body_ += "#pragma clang fp reassociate(on)\n";
    if (!kept_.empty()) body_ += fmt::format("      const long k = {};\n", linear());
    body_ += n_.loop_statements(s, goals, kept_, form_) + indent + "}\n";
  }

  std::string linear() const {
    std::string e = "0";
    for (int64_t a : n_.r.axes) e = fmt::format("({}) * {}L + {}", e, n_.r.dims[static_cast<size_t>(a)], n_.at[static_cast<size_t>(a)]);
    return e;
  }

  void finish() {
    std::vector<LoopDim> kept;
    for (size_t d = 0; d < n_.r.dims.size(); ++d)
      if (!n_.reduced(d) && n_.r.dims[d] != 1) kept.push_back({n_.r.dims[d], d});
    const int64_t rows = n_.rows(), inner = n_.inner(), grain = std::max<int64_t>(1, 4096 / std::max<int64_t>(inner, 1));
    kernel_.text = fmt::format("void {}(void* const* buffers, long begin, long end, void* scratch) {{\n  (void)scratch;\n{}{}{}{}  }}\n}}\n", kernel_.symbol,
                               p_.pointers(), open_units(rows, grain), split_row(kept), body_);
    kernel_.units = (rows + grain - 1) / grain;
    kernel_.loop_nest = fmt::format("for row in 0..{}\n  for k in 0..{}\n    {}\n", rows, inner, kernel_.name);
  }

  RowNest n_;
  NestPrinter& p_;
  Kernel& kernel_;
  bool strict_;
  std::vector<ValueId> kept_;
  std::map<uint32_t, int64_t> slot_; // of a kept value: its place in scratch
  const RowNest::Form form_{"    ", [this](ValueId v) { return fmt::format("(({}*)((char*)scratch + {}))[k]", c_type(p_.g.type(v).dtype), slot_.at(v.v)); },
                            [](std::string store, bool) { return store; }};
  std::string body_;
};

} // namespace

bool print_rows(NestPrinter& p, const std::vector<NodeId>& nodes, Kernel& kernel, const Options& options) {
  auto group = RowGroup::of(p, nodes);
  if (!group) return false;
  RowPrinter(p, nodes, std::move(*group), kernel, options.strict).print();
  return true;
}

} // namespace cutaway::codegen
