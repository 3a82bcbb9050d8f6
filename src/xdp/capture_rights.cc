#include "xdp/capture_rights.h"

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <vector>

namespace warpmeter {
namespace {

struct Capabilities {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};

  // Of this thread. False: nobody tells.
  bool read() { return syscall(SYS_capget, &header, data) == 0; }
  bool write() { return syscall(SYS_capset, &header, data) == 0; }

  static std::uint32_t bit(int capability) { return std::uint32_t{1} << capability % 32; }
  bool lack(int capability) const { return !(data[capability / 32].effective & bit(capability)); }
  void drop(int capability) {
    data[capability / 32].effective &= ~bit(capability);
    data[capability / 32].permitted &= ~bit(capability);
    data[capability / 32].inheritable &= ~bit(capability);
  }
};

}  // namespace

// Nothing, if nobody tells: then the kernel will say what it refuses.
std::string missing_rights_for_xdp() {
  Capabilities has;
  if (!has.read()) return "";
  std::vector<std::string> missing;
  if (has.lack(CAP_NET_RAW)) missing.emplace_back("CAP_NET_RAW");
  if (has.lack(CAP_NET_ADMIN)) missing.emplace_back("CAP_NET_ADMIN");
  if (has.lack(CAP_BPF) && has.lack(CAP_SYS_ADMIN)) missing.emplace_back("CAP_BPF");
  std::string text;
  for (std::size_t i = 0; i < missing.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == missing.size() ? " and " : ", ") + missing[i];
  }
  return text;
}

void drop_capture_rights() {
  Capabilities has;
  if (!has.read()) return;
  for (const int capability : {CAP_NET_RAW, CAP_NET_ADMIN, CAP_BPF, CAP_PERFMON}) has.drop(capability);
  has.write();
}

}  // namespace warpmeter
