#pragma once
#include "driver/session.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

// The verbs of the command line (DESIGN.md section 7: a contract). Each adds its subcommand and returns through `code`.
namespace cutaway::cli {

using Json = nlohmann::ordered_json;

// What every verb that takes a model accepts.
struct ModelOptions {
  std::string file, device = "cpu";
  std::vector<std::string> dims, inputs, sets;
  int threads = 2;
  bool json = false;

  void add_to(CLI::App& verb);
  Result<driver::Session::Options> session() const;
  Result<driver::Bindings> bindings() const;
  // Opens the model and makes its feeds; notes go to standard error.
  Status open(std::unique_ptr<driver::Session>& session, driver::Feeds& feeds, bool journal = false) const;
};

// Prints `FILE: where: KIND: what (hint)` on standard error and gives the exit code.
int report(const std::string& file, const Diagnostic& d);
void print_notes(const std::string& file, const std::vector<std::string>& notes);
// One object (or list) on standard output; bytes that are no UTF-8 are replaced.
void print_json(const Json& j);
// Written beside and renamed; bad-input where that fails. `option` names it in the diagnostic.
Status write_json(const std::string& path, const Json& j, const std::string& option);
Json breaks_json(const driver::RunInfo& info);
double median(std::vector<double> v);

void add_run(CLI::App& app, int& code);
void add_compile(CLI::App& app, int& code);
void add_bench(CLI::App& app, int& code);
void add_drift(CLI::App& app, int& code);
void add_bisect(CLI::App& app, int& code);
void add_verify(CLI::App& app, int& code);
void add_lists(CLI::App& app, int& code); // passes, ops, lessons, doctor
void add_pack(CLI::App& app, int& code);
// open and export where they are not there: exit code 3.
void add_open_later(CLI::App& app, int& code);
void add_export_later(CLI::App& app, int& code);

} // namespace cutaway::cli
