#include "base/program/messages.h"

#include <atomic>
#include <string>

#include "base/files/output_file.h"
#include "base/program/standard_error.h"
#include "base/words/printable.h"

namespace warpmeter::inline base {

namespace {

std::atomic<bool> line_is_drawn = false;

}  // namespace

void say(std::string_view text) noexcept {
  wipe_line();
  write_to_standard_error(text);
}

void draw_line(std::string_view text) noexcept {
  line_is_drawn = true;
  write_to_standard_error(text);
}

void wipe_line() noexcept {
  if (line_is_drawn.exchange(false)) write_to_standard_error("\r\033[K");
}

void warn(std::string_view message) noexcept {
  try {
    say("warpmeter: " + printable(message) + "\n");
  } catch (...) {  // no memory for one line
    say(message);
  }
}

void put(std::string_view text) {
  OutputFile output("-");
  output.write(text);
  output.commit();
}

}  // namespace warpmeter::inline base
