#pragma once
#include <CLI/CLI.hpp>

namespace cutaway::explorer {

// `cutaway open FILE`, and `cutaway FILE`: the window.
void add_open(CLI::App& app, int& code);

} // namespace cutaway::explorer
