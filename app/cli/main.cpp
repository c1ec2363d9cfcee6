#include "cli/program.h"
#include "cli/verbs.h"

// The program where there is no Qt: `open` and `export` say so.
int main(int argc, char** argv) {
  const cutaway::cli::AddVerb more[] = {cutaway::cli::add_open_later, cutaway::cli::add_export_later};
  return cutaway::cli::run_program(argc, argv, more);
}
