#include "cli/program.h"
#include "cli/verbs.h"
#include "explorer/export.h"
#include "explorer/open.h"

int main(int argc, char** argv) {
  const cutaway::cli::AddVerb more[] = {cutaway::explorer::add_open, cutaway::explorer::add_export};
  return cutaway::cli::run_program(argc, argv, more);
}
