#pragma once
#include "codegen/group_kernel.h"
#include "driver/document/mirror.h"
#include "driver/document/run_record.h"
#include "driver/session.h"
#include "trace/panels.h"

#include <span>

// Tables of what the compiler decided, one fact a cell. Numbers are bare; the column says their unit. Views find a table by
// its name.
namespace cutaway::driver {

std::string kernel_name(const GraphMirror& mirror, const codegen::GroupKernel& kernel);
Entity kernel_entity(const codegen::GroupKernel& kernel);
std::vector<KernelLook> kernel_looks(const GraphMirror& mirror, std::span<const codegen::GroupKernel> kernels);

// "tiles": one row a product or convolution: kernel, ops, problem, tile, depth blocks, rows, columns, split, units, FLOP.
trace::TablePanel tiles_table(const GraphMirror& mirror, std::span<const codegen::GroupKernel> kernels);
// "tile ranking": the register tiles that the rule preferred for each of these kernels, the chosen one first: kernel, tile,
// cycles as the rule counts them, relative to the first. At most eight a kernel.
trace::TablePanel ranking_table(const GraphMirror& mirror, std::span<const codegen::GroupKernel> kernels);
// "copies": one row a view op of the final graph: name, op, from, to, fate ("copy" or "none"), why, bytes written for it.
trace::TablePanel copies_table(const GraphMirror& mirror);
// "guards": what the variant that ran was compiled for: guard, now, why, origin. `compiled`: its graph.
trace::TablePanel guards_table(const onnx::Model& model, const VariantSet& variants, const Graph& compiled);
// "variants": those that are kept: number, types of the inputs, state ("ran last" or "kept").
trace::TablePanel variants_table(const VariantSet& variants);

} // namespace cutaway::driver
