// Files that were found in a folder, where others may have put them, and links that lead anywhere.
//
// What the kernel makes up as it is read, as /proc has it, is no capture. Reading it may wait for ever, or take away
// what others want (/proc/kmsg); to stat(2) it looks like an empty file. And a link that is planted (path_owners.h) may
// lead to what only this process may read.
//
// Whoever may write there may also put something else into a file's place between a look and the next, or hold a lease
// on it (fcntl(2)) that makes open(2) wait. So what was found is opened by one function, which opens what it judged,
// and waits for nobody.
//
// Sources: openat2(2).
//
// Threads: any.
#pragma once

#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <set>
#include <string>

#include "base/files/descriptor.h"
#include "base/files/named_pipe.h"
#include "base/files/opened_way.h"
#include "base/files/path_owners.h"
#include "base/words/printable.h"
#include "warpmeter/status.h"

namespace warpmeter::inline base {
namespace found_file {

inline constexpr unsigned long kMadeUp[] = {PROC_SUPER_MAGIC, SYSFS_MAGIC,        DEBUGFS_MAGIC,       TRACEFS_MAGIC,
                                            SECURITYFS_MAGIC, CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, SELINUX_MAGIC,
                                            SMACK_MAGIC,      BPF_FS_MAGIC,       PSTOREFS_MAGIC,      EFIVARFS_MAGIC,
                                            BINFMTFS_MAGIC,   0x62656570 /* configfs */};

inline constexpr int kMostLooks = 5;  // at a lease, whose holder may give it up at once, as a file server does
inline constexpr useconds_t kPauseUs = 20'000;

inline std::mutex folders_mutex;

// REQUIRES: folders_mutex is held.
inline std::set<std::filesystem::path>& noted_folders() {
  static std::set<std::filesystem::path> folders;
  return folders;
}

inline bool is_found(const std::string& path) {
  const std::lock_guard lock(folders_mutex);
  return noted_folders().contains(std::filesystem::path(path).parent_path());
}

inline std::string not_followed(const std::string& path, const std::string& link) {
  return path + ": " +
         (link == std::filesystem::absolute(path).lexically_normal() ? "" : "leads through " + printable(link) + ", ") +
         "a link of another user in a folder where others may write; it is not followed";
}

inline constexpr int kFlags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

// Nothing else is read of a folder: a pipe or a device would hold up the rest.
inline bool is_read(const struct stat& status) { return S_ISREG(status.st_mode) || S_ISDIR(status.st_mode); }

inline Error no_file(const std::string& path) {
  return Error(path + ": is no regular file; of a folder nothing else is read");
}

// No link is on the way to what this opens, so there is none to judge: one descriptor, and one call of the system.
inline Descriptor open_without_links(const std::string& path) {
  open_how how{};
  how.flags = kFlags;
  how.resolve = RESOLVE_NO_SYMLINKS;
  return Descriptor(static_cast<int>(syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how)));
}

// What the links lead to that were judged, whatever has its path by now.
inline Descriptor open_by_way(const std::string& path) {
  const OpenedWay way(path);
  if (const auto link = planted_link(way)) throw Error(not_followed(path, *link));
  if (way.error()) {
    errno = way.error();
    return {};
  }
  if (!is_read(way.status())) throw no_file(path);
  return Descriptor(open(("/proc/self/fd/" + std::to_string(way.fd())).c_str(), kFlags));
}

inline Descriptor open_judged(const std::string& path) {
  Descriptor opened = open_without_links(path);
  if (opened || (errno != ELOOP && errno != ENOSYS && errno != EPERM)) return opened;
  return open_by_way(path);
}

}  // namespace found_file

// A line for users, if a planted link is on the way to `path`; else empty. Opens nothing.
inline std::string why_not_followed(const std::string& path) {
  const auto link = planted_link(path);
  return link ? found_file::not_followed(path, *link) : "";
}

// A line for users, if what `path` leads to is made up by the kernel, or a planted link leads there; else empty. Opens
// nothing.
inline std::string why_not_read(const std::string& path) {
  struct stat status {};
  if (lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode)) {
    if (std::string why = why_not_followed(path); !why.empty()) return why;
  }
  struct statfs on {};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || statfs(path.c_str(), &on) != 0) return "";
  const auto kind = static_cast<unsigned long>(on.f_type);
  if (std::ranges::find(found_file::kMadeUp, kind) == std::end(found_file::kMadeUp)) return "";
  return path + ": leads to what the kernel makes up, as /proc, and is no file of a disk; it is not read";
}

// From here on, as long as the process runs, open_input() takes what is in this folder for found.
inline void note_found_in(const std::string& folder) {
  const std::lock_guard lock(found_file::folders_mutex);
  found_file::noted_folders().insert((std::filesystem::path(folder) / "file").parent_path());
}

// Opens a regular file to read, as open(2). Throws Error, with a line for users: a planted link is on the way, it is no
// regular file, or somebody has a lease on it.
inline Descriptor open_found(const std::string& path) {
  Descriptor file = found_file::open_judged(path);
  for (int looks = 1; !file && errno == EWOULDBLOCK; ++looks) {
    if (looks == found_file::kMostLooks)
      throw Error(path + ": another program has a lease on it; it is not waited for");
    usleep(found_file::kPauseUs);
    file = found_file::open_judged(path);
  }
  struct stat status {};
  if (file && fstat(file.get(), &status) == 0 && !found_file::is_read(status)) throw found_file::no_file(path);
  if (file) fcntl(file.get(), F_SETFL, fcntl(file.get(), F_GETFL) & ~O_NONBLOCK);
  return file;
}

// Opens an input to read, as open_to_read() (named_pipe.h); if it is in a folder that was noted, as open_found().
inline Descriptor open_input(const std::string& path) {
  return found_file::is_found(path) ? open_found(path) : open_to_read(path);
}

}  // namespace warpmeter::inline base
