// What the program owes to the system around it: standard descriptors that may be missing, signals, its end.
#pragma once

#include "app/cli/commands.h"

namespace warpmeter::inline app {

// First thing in the program. Closed standard descriptors become ones that cannot be used: a file opened later must
// not get the number of standard error and receive its messages. What would end the program by SIGPIPE or, beyond a
// limit of file size, SIGXFSZ becomes an error of the write, after which everything is cleaned up. Signals are held
// until a command watches for them (interrupt.h).
void prepare_process();

// Runs it; says what it throws, in one line, and gives the exit status. Where nobody reads the output any more it ends
// the program by SIGPIPE after all, without a word, as shells expect it of a filter.
int exit_status_of(const Command& run);

}  // namespace warpmeter::inline app
