#include "base/program/messages.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <new>
#include <string>
#include <system_error>

#include "base/files/named_pipe.h"
#include "base/files/output_file.h"
#include "base/words/printable.h"
#include "core/thread_annotations.h"

namespace warpmeter::inline base {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kPatience{100};

void write_and_wait(std::string_view text) noexcept {
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

// Standard error for those who do not wait for its reader.
class BoundedStderr {
 public:
  BoundedStderr() noexcept : own_(reopen_nonblocking(STDERR_FILENO).release()) {}

  void write(std::string_view text) noexcept {
    const std::lock_guard lock(mutex_);
    if (!tell_what_was_lost()) return lose(text);
    lose(write_until(Clock::now() + (taken_ ? kPatience : milliseconds(0)), text));
  }

 private:
  // Less than 0, with errno, if nothing was. A pipe with any room takes PIPE_BUF bytes without blocking.
  ssize_t write_some(std::string_view text) const noexcept {
    const std::size_t bytes = std::min<std::size_t>(text.size(), PIPE_BUF);
    const ssize_t sent = send(STDERR_FILENO, text.data(), bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0 || errno != ENOTSOCK) return sent;
    return ::write(own_ < 0 ? STDERR_FILENO : own_, text.data(), bytes);
  }

  // What is left of it: nobody took more in time, or it cannot be written. REQUIRES, as of the next two: mutex_ is
  // held.
  std::string_view write_until(Clock::time_point deadline, std::string_view text) noexcept {
    while (!text.empty()) {
      const milliseconds left = std::max(std::chrono::ceil<milliseconds>(deadline - Clock::now()), milliseconds(0));
      pollfd room{STDERR_FILENO, POLLOUT, 0};
      const int ready = poll(&room, 1, static_cast<int>(left.count()));
      if (ready < 0 && errno == EINTR) continue;
      if (ready == 0) break;
      const ssize_t done = write_some(text);
      if (done > 0) {
        text.remove_prefix(static_cast<std::size_t>(done));
        taken_ = true;
      } else if (done == 0 || (errno != EINTR && (errno != EAGAIN || left.count() == 0))) {
        break;
      }
    }
    return text;
  }

  // The rest of a text.
  void lose(std::string_view rest) noexcept {
    if (rest.empty()) return;
    taken_ = false;
    if (rest.back() == '\n') ++lost_;  // otherwise a line that is drawn anew soon
  }

  // False: nobody hears that, either.
  bool tell_what_was_lost() noexcept {
    if (lost_ == 0) return true;
    char line[100];
    const int length = std::snprintf(line, sizeof line, "\nwarpmeter: %llu messages are lost here: nobody read them\n",
                                     static_cast<unsigned long long>(lost_));
    if (!write_until(Clock::now(), std::string_view(line, static_cast<std::size_t>(length))).empty()) return false;
    lost_ = 0;
    return true;
  }

  const int own_;  // to the end of the process, whatever still writes then
  std::mutex mutex_;
  bool taken_ WARPMETER_GUARDED_BY(mutex_) = true;       // what came last
  std::uint64_t lost_ WARPMETER_GUARDED_BY(mutex_) = 0;  // messages, in whole or in part
};

std::atomic<BoundedStderr*> impatient = nullptr;

}  // namespace

void write_to_standard_error(std::string_view text) noexcept {
  if (BoundedStderr* const now = impatient) {
    now->write(text);
  } else {
    write_and_wait(text);
  }
}

void do_not_wait_for_standard_error() noexcept {
  static BoundedStderr only;
  impatient = &only;
}

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

std::string failure_words(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error)) {
    return "out of memory (--memory limits what flows, or streams, may take)";
  }
  const auto* const of_system = dynamic_cast<const std::system_error*>(&error);
  if (of_system && of_system->code() == std::errc::resource_unavailable_try_again) {
    return std::string("a thread could not be started (ulimit -v, -u; --threads): ") + error.what();
  }
  return error.what();
}

void put(std::string_view text) {
  OutputFile output("-");
  output.write(text);
  output.commit();
}

}  // namespace warpmeter::inline base
