#include "codegen/kernel.h"

#include "base/prelude/prelude.h"
#include "codegen/nest.h"

namespace cutaway::codegen {
namespace {

using Print = bool (*)(NestPrinter&, const std::vector<NodeId>&, Kernel&, const Options&);

bool try_print(Print print, const Graph& g, const plan::Storage& storage, const std::vector<NodeId>& nodes, Kernel& kernel, const Options& options) {
  Kernel attempt = kernel;
  NestPrinter printer(g, storage, nodes, attempt);
  if (!print(printer, nodes, attempt, options)) return false;
  attempt.text = with_local_names(attempt.text, attempt.names);
  attempt.text = prelude_for(attempt.text) + "\n" + attempt.text;
  kernel = std::move(attempt);
  return true;
}

Kernel builtin(const Graph& g, const plan::Storage& storage, Kernel kernel) {
  find_builtin_operands(g, storage, kernel);
  kernel.loop_nest = "builtin " + kernel.name + "\n";
  return kernel;
}

} // namespace

Kernel make_kernel(const Graph& g, const plan::Storage& storage, GroupId group, const std::vector<NodeId>& nodes, const std::string& symbol, const Options& options) {
  Kernel kernel{describe_group(g, group, nodes, symbol)};
  if (is_empty(g, nodes)) return builtin(g, storage, std::move(kernel)); // nothing to loop over
  for (Print print : {print_contraction_group, print_columns, print_rows, print_map})
    if (try_print(print, g, storage, nodes, kernel, options)) {
      if (print == print_contraction_group || print == print_map) kernel.in_place = overwritable(g, storage, kernel);
      return kernel;
    }
  return builtin(g, storage, std::move(kernel));
}

} // namespace cutaway::codegen
