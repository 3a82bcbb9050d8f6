#include "capture/kernel_file.h"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>
#include <iterator>

namespace warpmeter {
namespace {

constexpr unsigned long kMadeUp[] = {PROC_SUPER_MAGIC, SYSFS_MAGIC,        DEBUGFS_MAGIC,       TRACEFS_MAGIC,
                                     SECURITYFS_MAGIC, CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, SELINUX_MAGIC,
                                     SMACK_MAGIC,      BPF_FS_MAGIC,       PSTOREFS_MAGIC,      EFIVARFS_MAGIC,
                                     BINFMTFS_MAGIC,   0x62656570 /* configfs */};

}  // namespace

std::string why_not_read(const std::string& path) {
  struct stat status {};
  struct statfs on {};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || statfs(path.c_str(), &on) != 0) return "";
  const auto kind = static_cast<unsigned long>(on.f_type);
  if (std::find(std::begin(kMadeUp), std::end(kMadeUp), kind) == std::end(kMadeUp)) return "";
  return path + ": leads to what the kernel makes up, as /proc, and is no file of a disk; it is not read";
}

}  // namespace warpmeter
