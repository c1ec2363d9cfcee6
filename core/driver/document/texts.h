#pragma once
#include "codegen/group_kernel.h"
#include "driver/document/mirror.h"
#include "driver/pipeline.h"
#include "trace/document.h"

// What a document shows of a kernel as text.
namespace cutaway::driver {

// The loop nest with a line for each op of its body, values by the names that the C text gives them: "v3 = sub v1 x".
std::string nest_text(const GraphMirror& mirror, const codegen::GroupKernel& kernel);
// The lines of a kernel's text that compute a value of the graph, and the ops they belong to.
std::vector<trace::TextPanel::Link> links_of(const Graph& g, const codegen::GroupKernel& kernel, const std::string& text);

// The machine code of one kernel as text, in language "assembly", compiled now as the program's own was: by the same
// compiler and settings as the trace. Where the lines of the C text change, a comment says the line; links are those of
// that text. `unsupported`: the kernel is built in, or this build has no kernel compiler; `limit`: called off.
Result<trace::TextPanel> assembly_panel(const Compiler& compiler, const trace::Trace& trace, Entity kernel, const std::atomic<bool>* cancel = nullptr);

} // namespace cutaway::driver
