#include "base/program/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace warpmeter::inline base {
namespace {

std::string_view in_environment(const char* text) { return text ? text : ""; }

}  // namespace

std::size_t terminal_columns(int descriptor) {
  if (!isatty(descriptor)) return 0;
  const char* const columns = std::getenv("COLUMNS");
  if (const std::size_t said = columns ? std::strtoul(columns, nullptr, 10) : 0) return said;
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool can_redraw(int descriptor) { return isatty(descriptor) && in_environment(std::getenv("TERM")) != "dumb"; }

bool can_colour(int descriptor) {
  return can_redraw(descriptor) && !in_environment(std::getenv("TERM")).empty() &&
         in_environment(std::getenv("NO_COLOR")).empty();
}

}  // namespace warpmeter::inline base
