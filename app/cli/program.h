#pragma once
#include <CLI/CLI.hpp>

#include <span>

namespace cutaway::cli {

using AddVerb = void (*)(CLI::App& app, int& code);

// The whole program: the verbs of the command line and `more` (those that need a window, or say that there is none).
int run_program(int argc, char** argv, std::span<const AddVerb> more);

} // namespace cutaway::cli
