#include "packet/folder/folder_events.h"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include "warpmeter/status.h"

namespace warpmeter::inline packet {
namespace {

constexpr std::uint32_t kWanted =
    IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

// Too many instances or watches are the only faults that users can do something about.
std::string reason_of(int error) {
  std::string reason = std::strerror(error);
  if (error == EMFILE) reason += "; a larger fs.inotify.max_user_instances (sysctl) helps";
  if (error == ENOSPC) reason = "no inotify watch is left; a larger fs.inotify.max_user_watches (sysctl) helps";
  return reason;
}

std::optional<FolderEvent> event_of(const inotify_event& event) {
  using Kind = FolderEvent::Kind;
  if (event.mask & IN_Q_OVERFLOW) return FolderEvent{Kind::lost};
  if (event.mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED)) return FolderEvent{Kind::gone};
  if (event.len == 0 || (event.mask & IN_ISDIR)) return std::nullopt;
  if (event.mask & IN_CREATE) return FolderEvent{Kind::begun, event.name};
  if (event.mask & IN_CLOSE_WRITE) return FolderEvent{Kind::closed, event.name};
  if (event.mask & IN_MOVED_TO) return FolderEvent{Kind::came, event.name};
  if (event.mask & (IN_MOVED_FROM | IN_DELETE)) return FolderEvent{Kind::left, event.name};
  return std::nullopt;
}

}  // namespace

FolderEvents::FolderEvents(const std::string& folder) : fd_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
  if (fd_ < 0) throw Error(folder + ": cannot be watched: " + reason_of(errno));
  if (inotify_add_watch(fd_, folder.c_str(), kWanted) >= 0) return;
  const int error = errno;
  close(fd_);
  throw Error(folder + ": cannot be watched: " + reason_of(error));
}

FolderEvents::~FolderEvents() { close(fd_); }

std::vector<FolderEvent> FolderEvents::wait(std::chrono::milliseconds longest) {
  std::vector<FolderEvent> events;
  pollfd wanted{fd_, POLLIN, 0};
  if (poll(&wanted, 1, static_cast<int>(longest.count())) <= 0) return events;
  alignas(inotify_event) std::array<char, 64 << 10> buffer;
  const ssize_t got = read(fd_, buffer.data(), buffer.size());
  for (ssize_t at = 0; at < got;) {
    const auto& event = *reinterpret_cast<const inotify_event*>(buffer.data() + at);
    if (auto found = event_of(event)) events.push_back(*std::move(found));
    at += static_cast<ssize_t>(sizeof event) + event.len;
  }
  return events;
}

}  // namespace warpmeter::inline packet
