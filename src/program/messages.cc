#include "program/messages.h"

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string>

#include "export/output_file.h"
#include "warpmeter/printable.h"

namespace warpmeter {

namespace {

std::atomic<bool> line_is_drawn = false;

void to_standard_error(std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t done = write(STDERR_FILENO, text.data(), text.size());
    if (done > 0) {
      text.remove_prefix(static_cast<std::size_t>(done));
    } else if (done < 0 && errno == EAGAIN) {
      pollfd room{STDERR_FILENO, POLLOUT, 0};
      poll(&room, 1, -1);
    } else if (done == 0 || errno != EINTR) {
      return;
    }
  }
}

}  // namespace

void say(std::string_view text) noexcept {
  wipe_line();
  to_standard_error(text);
}

void draw_line(std::string_view text) noexcept {
  line_is_drawn = true;
  to_standard_error(text);
}

void wipe_line() noexcept {
  if (line_is_drawn.exchange(false)) to_standard_error("\r\033[K");
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

}  // namespace warpmeter
