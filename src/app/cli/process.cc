#include "app/cli/process.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <new>
#include <string>
#include <system_error>

#include "base/program/interrupt.h"
#include "base/program/messages.h"

namespace warpmeter::inline app {

constexpr int kEndedBySignal = 128;  // as shells tell it

void prepare_process() {
  hold_signals();
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest free number, so this one. Opened for what it is not used for: to use it fails as if it were closed.
    const int flags = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (open("/dev/null", flags) < 0) open("/", O_PATH);
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

int exit_status_of(const Command& run) {
  try {
    return static_cast<int>(run());
  } catch (const PipeClosed&) {
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
    return kEndedBySignal + SIGPIPE;  // it is blocked
  } catch (const Error& error) {
    warn(error.what());
    return static_cast<int>(error.status());
  } catch (const std::bad_alloc&) {
    warn("out of memory (--memory limits what flows, or streams, may take)");
  } catch (const std::system_error& error) {
    const bool no_thread = error.code() == std::errc::resource_unavailable_try_again;
    warn(std::string(no_thread ? "a thread could not be started (ulimit -v, -u; --threads): " : "") + error.what());
  } catch (const std::exception& error) {
    warn(error.what());
  }
  return static_cast<int>(ExitStatus::failed);
}

}  // namespace warpmeter::inline app
