#include "xdp/capture_rights.h"

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <vector>

namespace warpmeter {
namespace {

// Nothing, if nobody tells: then the kernel will say what it refuses.
bool lacks(std::uint64_t effective, int capability) { return !(effective >> capability & 1); }

}  // namespace

std::string missing_rights_for_xdp() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};
  if (syscall(SYS_capget, &header, data) != 0) return "";
  const std::uint64_t has = data[0].effective | std::uint64_t{data[1].effective} << 32;
  std::vector<std::string> missing;
  if (lacks(has, CAP_NET_RAW)) missing.emplace_back("CAP_NET_RAW");
  if (lacks(has, CAP_NET_ADMIN)) missing.emplace_back("CAP_NET_ADMIN");
  if (lacks(has, CAP_BPF) && lacks(has, CAP_SYS_ADMIN)) missing.emplace_back("CAP_BPF");
  std::string text;
  for (std::size_t i = 0; i < missing.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == missing.size() ? " and " : ", ") + missing[i];
  }
  return text;
}

}  // namespace warpmeter
