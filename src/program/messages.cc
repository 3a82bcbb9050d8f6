#include "program/messages.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "export/output_file.h"
#include "warpmeter/printable.h"

namespace warpmeter {

void say(std::string_view text) noexcept {
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
