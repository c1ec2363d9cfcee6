#pragma once
#include <CLI/CLI.hpp>

namespace cutaway::explorer {

// `cutaway export FILE --view V [--step N | --steps A..B] [--theme T] -o out.svg|pdf|png|html|gif`: FILE is a model, a .cut text or a document.
void add_export(CLI::App& app, int& code);

} // namespace cutaway::explorer
