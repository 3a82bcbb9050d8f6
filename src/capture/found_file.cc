#include "capture/found_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>

#include "core/named_pipe.h"
#include "core/path_owners.h"
#include "core/printable.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace {

constexpr unsigned long kMadeUp[] = {PROC_SUPER_MAGIC, SYSFS_MAGIC,        DEBUGFS_MAGIC,       TRACEFS_MAGIC,
                                     SECURITYFS_MAGIC, CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, SELINUX_MAGIC,
                                     SMACK_MAGIC,      BPF_FS_MAGIC,       PSTOREFS_MAGIC,      EFIVARFS_MAGIC,
                                     BINFMTFS_MAGIC,   0x62656570 /* configfs */};

}  // namespace

std::string why_not_followed(const std::string& path) {
  const auto link = planted_link(path);
  if (!link) return "";
  return path + ": " +
         (*link == std::filesystem::absolute(path).lexically_normal() ? ""
                                                                      : "leads through " + printable(*link) + ", ") +
         "a link of another user in a folder where others may write; it is not followed";
}

std::string why_not_read(const std::string& path) {
  struct stat status {};
  if (lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode)) {
    if (std::string why = why_not_followed(path); !why.empty()) return why;
  }
  struct statfs on {};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || statfs(path.c_str(), &on) != 0) return "";
  const auto kind = static_cast<unsigned long>(on.f_type);
  if (std::find(std::begin(kMadeUp), std::end(kMadeUp), kind) == std::end(kMadeUp)) return "";
  return path + ": leads to what the kernel makes up, as /proc, and is no file of a disk; it is not read";
}

int open_found(const std::string& path) {
  const int fd = named_pipe::open_at_once(path, O_RDONLY | O_NOFOLLOW);
  if (fd >= 0 || errno != ELOOP) return fd;
  if (const std::string why = why_not_followed(path); !why.empty()) throw Error(why);
  return named_pipe::open_at_once(path, O_RDONLY);
}

}  // namespace warpmeter
