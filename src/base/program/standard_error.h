// Standard error, as bytes: a file, a pipe, a terminal or a socket, which others have, too.
//
// Threads: any.
#pragma once

#include <string_view>

namespace warpmeter::inline base {

// Waits as long as a full pipe or a stopped terminal takes nothing. Errors are ignored.
void write_to_standard_error(std::string_view text) noexcept;

// From now on waits at most 100 ms, and not at all while nothing has been taken since: for what must go on whoever
// reads. What was lost is told as soon as something is taken again.
void do_not_wait_for_standard_error() noexcept;

}  // namespace warpmeter::inline base
