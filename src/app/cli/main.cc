#include "app/cli/commands.h"

int main(int argc, char** argv) {
  warpmeter::prepare_process();
  return warpmeter::exit_status_of([&] { return warpmeter::run_command_line(argc, argv); });
}
