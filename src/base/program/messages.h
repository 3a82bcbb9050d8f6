// What the program says beside its output. Standard error may be closed, full or a terminal that is gone: that changes
// neither the output nor the exit status. Who must not wait for its reader says so once.
//
// Threads: any. What one call says is one write, so that lines of several threads do not mix.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace warpmeter::inline base {

// On standard error, as bytes; it is a file, a pipe, a terminal or a socket, which others have, too. Waits as long as a
// full pipe or a stopped terminal takes nothing. Errors are ignored.
void write_to_standard_error(std::string_view text) noexcept;

// From now on waits at most 100 ms, and not at all while nothing has been taken since: for what must go on whoever
// reads. What was lost is told as soon as something is taken again.
void do_not_wait_for_standard_error() noexcept;

// On standard error, as it is. Errors are ignored.
void say(std::string_view text) noexcept;

// A line on the terminal of standard error, which is drawn anew until the next message, or wipe_line(), takes its
// place.
void draw_line(std::string_view text) noexcept;
void wipe_line() noexcept;

// On standard error: "warpmeter: MESSAGE" as a line, printable (printable.h).
void warn(std::string_view message) noexcept;

// The one line that tells of a run that failed: the same on standard error, in the file of --stats and to programs that
// use libwarpmeter, whatever command it was. Of an Error its own text. Others are told by what the user can do about
// them: std::bad_alloc, and threads that could not be started.
std::string failure_words(const std::exception& error);

// On standard output, for what is no Flow Records. Throws Error if it cannot be written.
void put(std::string_view text);

}  // namespace warpmeter::inline base
