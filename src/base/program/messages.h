// What the program says beside its output. Standard error may be closed, full or a terminal that is gone: that changes
// neither the output nor the exit status. Who must not wait for its reader says so once (standard_error.h).
//
// Threads: any. What one call says is one write, so that lines of several threads do not mix.
#pragma once

#include <string_view>

namespace warpmeter::inline base {

// On standard error, as it is. Errors are ignored.
void say(std::string_view text) noexcept;

// A line on the terminal of standard error, which is drawn anew until the next message, or wipe_line(), takes its
// place.
void draw_line(std::string_view text) noexcept;
void wipe_line() noexcept;

// On standard error: "warpmeter: MESSAGE" as a line, printable (printable.h).
void warn(std::string_view message) noexcept;

// On standard output, for what is no Flow Records. Throws Error if it cannot be written.
void put(std::string_view text);

}  // namespace warpmeter::inline base
