// What a terminal can do, by itself and by what its user says in the environment.
#pragma once

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <string_view>

namespace warpmeter::inline base {

namespace terminal_detail {

inline std::string_view in_environment(const char* text) { return text ? text : ""; }

}  // namespace terminal_detail

// $COLUMNS, else what the terminal says; 0 where the descriptor is none, or does not know.
inline std::size_t terminal_columns(int descriptor) {
  if (!isatty(descriptor)) return 0;
  const char* const columns = std::getenv("COLUMNS");
  if (const std::size_t said = columns ? std::strtoul(columns, nullptr, 10) : 0) return said;
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

// It is a terminal that can go back on its line and clear it: any but TERM=dumb.
inline bool can_redraw(int descriptor) {
  return isatty(descriptor) && terminal_detail::in_environment(std::getenv("TERM")) != "dumb";
}

// It has colours, and nobody has set NO_COLOR.
inline bool can_colour(int descriptor) {
  return can_redraw(descriptor) && !terminal_detail::in_environment(std::getenv("TERM")).empty() &&
         terminal_detail::in_environment(std::getenv("NO_COLOR")).empty();
}

}  // namespace warpmeter::inline base
