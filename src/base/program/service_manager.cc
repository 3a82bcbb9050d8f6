#include "base/program/service_manager.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace warpmeter::inline base {
namespace {

template <class Number>
std::optional<Number> number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  if (!text) return {};
  Number number{};
  const char* const end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, number);
  if (error != std::errc() || stop != end) return {};
  return number;
}

// A path, or a name of the abstract namespace behind '@'.
Descriptor connected_to(std::string_view name) {
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  if (name.size() < 2 || (name[0] != '/' && name[0] != '@') || name.size() >= sizeof to.sun_path) return {};
  std::memcpy(to.sun_path, name.data(), name.size());
  const bool abstract = name[0] == '@';
  if (abstract) to.sun_path[0] = '\0';
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size() + (abstract ? 0 : 1));
  Descriptor made(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (made && connect(made.get(), reinterpret_cast<const sockaddr*>(&to), size) != 0) made.reset();
  return made;
}

}  // namespace

ServiceManager::ServiceManager() {
  const char* const name = std::getenv("NOTIFY_SOCKET");
  if (name) socket_ = connected_to(name);
  const auto micros = number_in<std::uint64_t>("WATCHDOG_USEC");
  const auto process = number_in<pid_t>("WATCHDOG_PID");
  if (socket_ && micros && *micros > 0 && (!process || *process == getpid())) {
    watchdog_ = std::chrono::microseconds(*micros);
  }
}

void ServiceManager::tell(std::string_view state) const {
  if (socket_ && send(socket_.get(), state.data(), state.size(), MSG_NOSIGNAL) < 0) return;  // then it does not hear it
}

}  // namespace warpmeter::inline base
