#include "codegen/contraction/matmul.h"

#include "base/check.h"

#include <algorithm>
#include <optional>

namespace cutaway::codegen {
namespace {

int64_t product(const std::vector<int64_t>& v) {
  int64_t n = 1;
  for (int64_t x : v) n *= x;
  return n;
}

bool all_zero(const std::vector<int64_t>& v) {
  return std::all_of(v.begin(), v.end(), [](int64_t x) { return x == 0; });
}

// The one stride that walks all dims in row-major order, if there is one.
std::optional<int64_t> walk_stride(const std::vector<int64_t>& extents, const std::vector<int64_t>& strides) {
  std::optional<int64_t> inner;
  int64_t expected = 0;
  for (size_t i = extents.size(); i-- > 0;) {
    if (extents[i] == 1) continue;
    if (!inner)
      inner = strides[i];
    else if (strides[i] != expected)
      return std::nullopt;
    expected = strides[i] * extents[i];
  }
  return inner.value_or(0);
}

// The dims that one product's rows run over, and the dims that make separate products.
struct Split {
  std::vector<int64_t> outer, outer_a, outer_b, row_extents, row_strides;
};

// Where B has no batch, every batch is only more rows.
Split split_batch(const MatmulSpec& s) {
  Split split;
  const bool merged = all_zero(s.b.batch_strides);
  for (size_t i = 0; i < s.batch.size(); ++i) {
    (merged ? split.row_extents : split.outer).push_back(s.batch[i]);
    (merged ? split.row_strides : split.outer_a).push_back(s.a.batch_strides[i]);
    if (!merged) split.outer_b.push_back(s.b.batch_strides[i]);
  }
  split.row_extents.push_back(s.m);
  split.row_strides.push_back(s.a.row_stride);
  return split;
}

class MatmulRows final : public RowSource {
 public:
  MatmulRows(const MatmulSpec& spec, Split split)
      : spec_(spec), split_(std::move(split)), walk_(walk_stride(split_.row_extents, split_.row_strides)),
        copies_(spec.a.elem != spec.acc || (spec.a.col_stride != 1 && spec.k > 1)) {}

  void head(CText& out) const override {
    out.line("const {0}* const a_base = (const {0}*)buffers[{1}] + {2};", c_type(spec_.a.elem), spec_.a.buffer,
             spec_.a.offset);
  }
  void enter(CText& out) const override {
    const auto z = print_indices(out, "z", split_.outer, "z");
    out.line("const {}* const a = a_base + ({});", c_type(spec_.a.elem), offset_text(z, split_.outer_a));
  }
  void fill(CText& out, const Plan& plan) const override;
  void point(CText& out, const Plan&) const override {
    out.plain_loop("for (long i = 0; i < mr; i++)");
    if (copies_) {
      out.line("at[i] = copy + (row + i - first) * {} + l0;", spec_.k);
    } else {
      out.line("const long q = row + i;");
      const std::string offset = row_offset(out);
      out.line("at[i] = a + ({}) + l0;", offset);
    }
    out.close();
    out.line("taps = 1; depth = ln;");
  }
  std::vector<std::string> indices(CText& out) const override {
    auto outer = print_indices(out, "z", split_.outer, "y");
    auto rows = print_indices(out, "q", split_.row_extents, "x");
    outer.insert(outer.end(), rows.begin(), rows.end());
    return outer;
  }
  int64_t most_tiles(const Plan& plan) const override {
    const int64_t tile = plan.max_rows() * std::max<int64_t>(spec_.k, 1) * elem_bytes(spec_.acc);
    return copies_ ? std::max<int64_t>((256 << 10) / tile, 1) : INT64_MAX;
  }
  int64_t copy_bytes(const Plan& plan) const override {
    return copies_ ? plan.super_tiles * plan.max_rows() * std::max<int64_t>(spec_.k, 1) * elem_bytes(spec_.acc) : 0;
  }
  std::string summary() const override { return copies_ ? "copied to scratch" : "read in place"; }
  bool transposes() const { return copies_ && spec_.a.elem == spec_.acc && walk_ == 1 && spec_.k > 1; }
  std::string transpose; // set where transposes()

 private:
  std::string row_offset(CText& out) const {
    if (walk_) return offset_text({"q"}, {*walk_});
    return offset_text(print_indices(out, "q", split_.row_extents, "x"), split_.row_strides);
  }

  MatmulSpec spec_;
  Split split_;
  std::optional<int64_t> walk_;
  bool copies_;
};

void MatmulRows::fill(CText& out, const Plan& plan) const {
  if (!copies_) return;
  const auto start = [&](const char* t) {
    return plan.extra ? fmt::format("{0} * {1} + ({0} < {2} ? {0} : {2})", t, plan.base, plan.extra)
                      : fmt::format("{} * {}", t, plan.base);
  };
  out.line("const long first = {}, last = {};", start("s0"), start("s1"));
  std::string from = "first";
  if (transposes()) {
    const int lanes = lanes_of(spec_.acc, plan.simd_bytes);
    const int64_t whole = spec_.k / lanes * lanes;
    out.line("long full = first;");
    out.open("for (; full + {} <= last; full += {})", lanes, lanes);
    out.line("for (long k = 0; k < {}; k += {}) {}(a + full + k * {}, {}, copy + (full - first) * {} + k, {});", whole,
             lanes, transpose, spec_.a.col_stride, spec_.a.col_stride, spec_.k, spec_.k);
    out.line("for (long i = full; i < full + {}; i++) for (long k = {}; k < {}; k++) copy[(i - first) * {} + k] = "
             "a[i + k * {}];",
             lanes, whole, spec_.k, spec_.k, spec_.a.col_stride);
    out.close();
    from = "full";
  }
  out.open("for (long q = {}; q < last; q++)", from);
  const std::string offset = row_offset(out);
  out.line("const {}* const line = a + ({});", c_type(spec_.a.elem), offset);
  out.line("{}* const to = copy + (q - first) * {};", c_type(spec_.acc), spec_.k);
  out.line("for (long k = 0; k < {}; k++) to[k] = {};", spec_.k,
           load_expr(spec_.a.elem, spec_.acc, "line", offset_text({"k"}, {spec_.a.col_stride})));
  out.close();
}

// Panels that each unit copies out of a B that is not known before the run.
class CopiedPanels final : public PanelSource {
 public:
  CopiedPanels(const MatmulSpec& spec, Split split, int64_t rows) : spec_(spec), split_(std::move(split)) {
    // With few rows a copy costs as much as the product: whole panels with adjacent columns are read where they are.
    in_place_ = spec.b.elem == spec.acc && spec.b.col_stride == 1 && rows <= 16;
  }
  void head(CText& out) const override {
    out.line("const {0}* const b_base = (const {0}*)buffers[{1}] + {2};", c_type(spec_.b.elem), spec_.b.buffer,
             spec_.b.offset);
  }
  void enter(CText& out) const override {
    const auto z = print_indices(out, "z", split_.outer, "w");
    out.line("const {}* const b_z = b_base + ({});", c_type(spec_.b.elem), offset_text(z, split_.outer_b));
  }
  void panel(CText& out, const Plan& plan) const override {
    const char* type = c_type(spec_.acc);
    if (in_place_) {
      out.line("const {}* b = b_z + n0 + l0 * {};", type, spec_.b.row_stride);
      out.line("long pitch = {};", spec_.b.row_stride);
      out.open("if (columns < {})", plan.columns);
      print_copy(out, plan);
      out.line("b = panel; pitch = {};", plan.columns);
      out.close();
    } else {
      print_copy(out, plan);
      out.line("const {}* const b = panel;", type);
      out.line("const long pitch = {};", plan.columns);
    }
    out.line("const char* const after = (const char*)b;");
  }
  int64_t scratch_bytes(const Plan& plan) const override {
    int64_t depth = 1;
    for (const Block& b : plan.blocks) depth = std::max(depth, b.depth());
    return depth * plan.columns * elem_bytes(spec_.acc);
  }
  std::string summary() const override { return in_place_ ? "read in place" : "copied by each unit"; }
  bool transposes() const { return spec_.b.elem == spec_.acc && spec_.b.row_stride == 1 && spec_.b.col_stride != 1; }
  std::string transpose; // set where transposes()

 private:
  void print_copy(CText& out, const Plan& plan) const;

  MatmulSpec spec_;
  Split split_;
  bool in_place_ = false;
};

void CopiedPanels::print_copy(CText& out, const Plan& plan) const {
  const int64_t rs = spec_.b.row_stride, cs = spec_.b.col_stride, nr = plan.columns;
  out.line("const {}* const from = b_z + n0 * {} + l0 * {};", c_type(spec_.b.elem), cs, rs);
  if (transposes()) {
    const int lanes = lanes_of(spec_.acc, plan.simd_bytes);
    out.open("for (long c = 0; c < {}; c += {})", nr, lanes);
    out.line("long k = 0;");
    out.line("if (c + {} <= columns) for (; k + {} <= ln; k += {}) {}(from + c * {} + k, {}, panel + k * {} + c, {});",
             lanes, lanes, lanes, transpose, cs, cs, nr, nr);
    out.line(
        "for (; k < ln; k++) for (long j = c; j < c + {}; j++) panel[k * {} + j] = j < columns ? from[j * {} + k] : 0;",
        lanes, nr, cs);
    out.close();
    return;
  }
  out.open("for (long k = 0; k < ln; k++)");
  out.line("for (long j = 0; j < columns; j++) panel[k * {} + j] = {};", nr,
           load_expr(spec_.b.elem, spec_.acc, "from", fmt::format("k * {} + j * {}", rs, cs)));
  out.line("for (long j = columns; j < {}; j++) panel[k * {} + j] = 0;", nr, nr);
  out.close();
}

void check(const MatmulSpec& s) {
  CUTAWAY_CHECK(s.a.batch_strides.size() == s.batch.size() && s.b.batch_strides.size() == s.batch.size(),
                "matmul: one batch stride a batch dim");
  CUTAWAY_CHECK(is_accumulator(s.acc), "matmul: sums of 32 or 64 bits");
  CUTAWAY_CHECK(s.m >= 0 && s.n >= 0 && s.k >= 0, "matmul: negative extent");
}

} // namespace

Extent extent_of(const MatmulSpec& s) {
  check(s);
  const Split split = split_batch(s);
  Extent e;
  e.z = product(split.outer);
  e.rows = product(split.row_extents);
  e.cols = s.n;
  e.channels = s.k;
  e.acc = s.acc;
  e.packs_b = !s.b_packed;
  e.a_bytes = static_cast<double>(e.z * e.rows * s.k * elem_bytes(s.a.elem));
  e.b_bytes = static_cast<double>(e.z * s.n * s.k * elem_bytes(s.b_packed ? s.acc : s.b.elem));
  return e;
}

Printed print_matmul(const MatmulSpec& spec, const std::string& symbol, const Epilogue& epilogue, const Simd& simd,
                     int threads) {
  const Extent e = extent_of(spec);
  const Plan plan = make_plan(e, choose_tile(e, spec.tile, simd), simd, threads);
  CText helpers;
  Split split = split_batch(spec);
  MatmulRows rows(spec, split);
  if (rows.transposes()) rows.transpose = print_transpose(helpers, spec.acc, simd.bytes);
  Printed printed;
  if (spec.b_packed) {
    printed = print_kernel(e, plan, rows, PackedPanels(e, spec.b.buffer, "z"), symbol, epilogue, simd);
    printed.packed_bytes = e.z * plan.panels * e.depth() * plan.columns * elem_bytes(e.acc);
  } else {
    CopiedPanels panels(spec, split, e.rows);
    if (panels.transposes()) panels.transpose = print_transpose(helpers, spec.acc, simd.bytes);
    printed = print_kernel(e, plan, rows, panels, symbol, epilogue, simd);
  }
  printed.text = helpers.take() + printed.text;
  return printed;
}

std::vector<TileCandidate> matmul_tiles(const MatmulSpec& spec, const Simd& simd) {
  return rank_tiles(extent_of(spec), simd);
}

} // namespace cutaway::codegen
