#include <cstdlib>

#include "app/cli/commands.h"
#include "base/threads/abandonable_work.h"

int main(int argc, char** argv) {
  warpmeter::prepare_process();
  const int status = warpmeter::exit_status_of([&] { return warpmeter::run_command_line(argc, argv); });
  // What is written goes past stdio, and is complete by now.
  if (warpmeter::abandoned_work() > 0) std::_Exit(status);
  return status;
}
