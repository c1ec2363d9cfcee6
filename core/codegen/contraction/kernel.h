#pragma once
#include "codegen/contraction/ctext.h"
#include "codegen/contraction/plan.h"

namespace cutaway::codegen {

// Where the microkernel's rows come from: prints the parts of a kernel that know the operand A. The text around them
// declares, in this order of nesting: z; s0, s1 (the tiles of a super block); p, n0 (panel, first column); the block's
// r0, rn, c0, cn, l0, ln (kernel rows, taps of a row, channels); t, row, mr (tile, first row, number of rows).
class RowSource {
 public:
  virtual ~RowSource() = default;
  virtual void statics(CText&) const {}                  // before the function
  virtual void head(CText& out) const = 0;               // at its head: base pointers
  virtual void enter(CText&) const {}                    // once z is known
  virtual void fill(CText&, const Plan&) const {}        // copies what tiles [s0, s1) need behind `copy`
  virtual void point(CText& out, const Plan&) const = 0; // sets at[group * mr + i], taps and depth
  // Inside the epilogue's row loop: declares what decodes row q, and returns the indices before the column's.
  virtual std::vector<std::string> indices(CText& out) const = 0;
  virtual std::string column(const std::string& n) const { return n; } // the last index, of column n
  virtual std::string panel_z() const { return "z"; }                  // which z of B

  virtual int64_t most_tiles(const Plan&) const { return INT64_MAX; } // of a super block
  virtual int64_t copy_bytes(const Plan&) const { return 0; }
  virtual std::string summary() const = 0; // one line of the loop nest, at most 30 columns
};

// Where panels of B come from. `panel` declares `const T* b`, `long pitch` and `const char* after` (what to prefetch).
class PanelSource {
 public:
  virtual ~PanelSource() = default;
  virtual void head(CText& out) const = 0;
  virtual void enter(CText&) const {}
  virtual void panel(CText& out, const Plan& plan) const = 0;
  virtual int64_t scratch_bytes(const Plan&) const { return 0; }
  virtual std::string summary() const = 0;
};

// Panels as pack_matmul and pack_conv lay them out, [z][panel][depth][columns].
class PackedPanels final : public PanelSource {
 public:
  PackedPanels(const Extent& extent, int buffer, std::string z) : extent_(extent), buffer_(buffer), z_(std::move(z)) {}
  void head(CText& out) const override;
  void panel(CText& out, const Plan& plan) const override;
  std::string summary() const override { return "packed before"; }

 private:
  Extent extent_;
  int buffer_;
  std::string z_;
};

Printed print_kernel(const Extent& extent, Plan plan, const RowSource& rows, const PanelSource& panels,
                     const std::string& symbol, const Epilogue& epilogue, const Simd& simd);

// A kernel of no units, for an empty output.
Printed print_nothing(const std::string& symbol);

// Declares variables that split `value` into indices over `extents`, and returns their names; extent 1 gives "0".
std::vector<std::string> print_indices(CText& out, const std::string& value, const std::vector<int64_t>& extents,
                                       const std::string& prefix, const char* index_type = "long");
// "a * 3 + b * 4" over names that are not "0" and strides that are not 0; "0" where nothing is left.
std::string offset_text(const std::vector<std::string>& names, const std::vector<int64_t>& strides);

// Opens the epilogue's loop over `columns` of the row of sums behind `sums`, prints the caller's statements, closes it.
void print_columns(CText& out, Elem acc, const std::string& sums, const std::string& columns, const std::string& n0,
                   std::vector<std::string> indices, const RowSource* rows, const Epilogue& epilogue);

} // namespace cutaway::codegen
