#include "cli/program.h"
#include "cli/verbs.h"
#include "explorer/export.h"

int main(int argc, char** argv) {
  const cutaway::cli::AddVerb more[] = {cutaway::cli::add_open_later, cutaway::explorer::add_export};
  return cutaway::cli::run_program(argc, argv, more);
}
