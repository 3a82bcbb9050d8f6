#include "packet/folder/capture_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <tuple>
#include <utility>

#include "base/files/descriptor.h"
#include "base/files/file_name.h"
#include "base/files/path_owners.h"
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

FolderEvents::FolderEvents(const std::string& folder) : events_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
  if (!events_ || inotify_add_watch(events_.get(), folder.c_str(), kWanted) < 0) {
    throw Error(folder + ": cannot be watched: " + reason_of(errno));
  }
}

std::vector<FolderEvent> FolderEvents::wait(std::chrono::milliseconds longest) {
  std::vector<FolderEvent> events;
  pollfd wanted{events_.get(), POLLIN, 0};
  if (poll(&wanted, 1, static_cast<int>(longest.count())) <= 0) return events;
  alignas(inotify_event) std::array<char, 64 << 10> buffer;
  const ssize_t got = read(events_.get(), buffer.data(), buffer.size());
  for (ssize_t at = 0; at < got;) {
    const auto& event = *reinterpret_cast<const inotify_event*>(buffer.data() + at);
    if (auto found = event_of(event)) events.push_back(*std::move(found));
    at += static_cast<ssize_t>(sizeof event) + event.len;
  }
  return events;
}

Writers writers_of(int folder, const char* name) {
  const Descriptor file(openat(folder, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!file) return errno == EMFILE || errno == ENFILE || errno == ENOMEM ? Writers::unknown : Writers::none;
  // Who opens it to write in this moment has the kernel send a signal, which by default would end the program; this one
  // is ignored by default.
  fcntl(file.get(), F_SETSIG, SIGURG);
  if (fcntl(file.get(), F_SETLEASE, F_RDLCK) != 0) {
    return errno == EAGAIN || errno == EBUSY ? Writers::some : Writers::unknown;
  }
  fcntl(file.get(), F_SETLEASE, F_UNLCK);
  return Writers::none;
}

namespace {

constexpr std::size_t kMostLooks = 256;  // at files that are being written, at a time

// Calls see(name) for each entry of the folder but "." and "..", as long as that is true. Returns 0, or the errno where
// it ended too early.
template <class See>
int for_each_entry(int folder, const See& see) {
  Descriptor opened(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  DIR* const entries = opened ? fdopendir(opened.get()) : nullptr;
  if (!entries) return errno;
  opened.release();  // closedir() closes it
  errno = 0;
  int error = 0;
  while (const dirent* const entry = readdir(entries)) {
    const std::string name = entry->d_name;
    if (name != "." && name != ".." && !see(name)) {
      error = EINTR;
      break;
    }
    errno = 0;
  }
  if (error == 0) error = errno;
  closedir(entries);
  return error;
}

// Of what a link leads to; where that cannot be told, or is not to be, a link. 0: nothing is there.
mode_t kind_of(int folder, const std::string& path, const std::string& name) {
  struct stat entry {
  }, status{};
  if (fstatat(folder, name.c_str(), &entry, AT_SYMLINK_NOFOLLOW) != 0) return 0;
  const bool leads =
      S_ISLNK(entry.st_mode) && !planted_link(path + '/' + name) && fstatat(folder, name.c_str(), &status, 0) == 0;
  return (leads ? status : entry).st_mode & S_IFMT;
}

// No event tells of it while the folder is open.
bool is_removed(int folder) {
  struct stat status {};
  return fstat(folder, &status) == 0 && status.st_nlink == 0;
}

}  // namespace

CaptureFolder::CaptureFolder(const std::string& path, IsPassedOver is_passed_over, GivesUp gives_up)
    : path_(path), is_passed_over_(std::move(is_passed_over)), gives_up_(std::move(gives_up)), events_(path) {
  folder_.reset(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder_) throw Error(path + ": " + std::strerror(errno));
  for_each_entry(descriptor(), [&](const std::string& name) {
    folders_below_ += kind_of(descriptor(), path_, name) == S_IFDIR;
    return !gives_up_();
  });
  const int error = look_at_all();
  if (error != 0 && error != EINTR) throw Error(path + ": " + std::strerror(error));
}

bool CaptureFolder::look(std::chrono::milliseconds longest) {
  const std::vector<FolderEvent> events = events_.wait(longest);
  for (const FolderEvent& event : events) take(event);
  if (is_look_missing_) is_look_missing_ = look_at_all() != 0;
  look_at_some_waiting();
  if (is_removed(descriptor())) gone_ = true;
  return !events.empty();
}

std::vector<std::string> CaptureFolder::take_complete() {
  std::vector<std::string> names(complete_.begin(), complete_.end());
  complete_.clear();
  return names;
}

void CaptureFolder::take(const FolderEvent& event) {
  using Kind = FolderEvent::Kind;
  switch (event.kind) {
    case Kind::begun:
      look_at(event.name, false);
      keep_newest_waiting();
      looks_left_ = waiting_.size();
      break;
    case Kind::closed:
    case Kind::came:
      look_at(event.name, true);
      looks_left_ = waiting_.size();
      break;
    case Kind::left:
      complete_.erase(event.name);
      waiting_.erase(event.name);
      unknown_.erase(event.name);
      break;
    case Kind::lost: is_look_missing_ = true; break;
    case Kind::gone: gone_ = true; break;
  }
}

void CaptureFolder::look_at(const std::string& name, bool complete_if_unknown) {
  if (is_temporary_name(name) || is_passed_over_(name)) return;
  const mode_t kind = kind_of(descriptor(), path_, name);
  if (kind == S_IFLNK) complete_.insert(name);  // nobody will write to it; whoever reads is told why it cannot be
  if (kind != S_IFREG) return;
  const Writers writers = writers_of(descriptor(), name.c_str());
  note(name, writers, complete_if_unknown);
}

void CaptureFolder::note(const std::string& name, Writers writers, bool complete_if_unknown) {
  const bool complete = writers == Writers::none || (writers == Writers::unknown && complete_if_unknown);
  (complete ? waiting_ : complete_).erase(name);
  (complete ? complete_ : waiting_).insert(name);
  if (writers == Writers::unknown && !complete) unknown_.insert(name);
  else unknown_.erase(name);
}

// Events tell when somebody closes a file, but for one that is open by way of another folder, where it is or has a
// second name: so all are looked at, a few each time. Who holds thousands of files open holds up nobody by that.
void CaptureFolder::look_at_some_waiting() {
  for (std::size_t looks = 0; looks < kMostLooks && looks_left_ > 0 && !waiting_.empty(); ++looks, --looks_left_) {
    auto next = waiting_.upper_bound(last_looked_at_);
    if (next == waiting_.end()) next = waiting_.begin();
    last_looked_at_ = *next;
    note(last_looked_at_, writers_of(descriptor(), last_looked_at_.c_str()), false);
  }
}

// Returns 0, or why it has not seen all, an errno; EINTR: it was given up.
int CaptureFolder::look_at_all() {
  const int error = for_each_entry(descriptor(), [&](const std::string& name) {
    look_at(name, false);
    return !gives_up_();
  });
  keep_newest_waiting();
  return error;
}

// Of files of which it is not known who writes to them, a later one has begun for all but the newest.
void CaptureFolder::keep_newest_waiting() {
  std::tuple<std::int64_t, std::int64_t, std::string> newest;
  for (const std::string& name : unknown_) {
    struct stat status {};
    if (fstatat(descriptor(), name.c_str(), &status, 0) != 0) continue;
    newest = std::max(newest, {status.st_mtim.tv_sec, status.st_mtim.tv_nsec, name});
  }
  for (const std::string& name : std::exchange(unknown_, {})) {
    if (name == std::get<2>(newest)) {
      unknown_.insert(name);
      continue;
    }
    waiting_.erase(name);
    complete_.insert(name);
  }
}

}  // namespace warpmeter::inline packet
