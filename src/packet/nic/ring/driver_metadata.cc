#include "packet/nic/ring/driver_metadata.h"

#include <linux/genetlink.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "packet/nic/bpf/kernel_functions.h"
#include "packet/nic/ring/netlink.h"

namespace warpmeter::inline packet {
namespace {

// Of linux/netdev.h, which is younger than the headers that this is built with.
constexpr std::string_view kFamily("netdev", sizeof "netdev");  // with its end
constexpr std::uint8_t kGetDevice = 1;
constexpr std::uint16_t kInterfaceIndex = 1, kMetadataFeatures = 5;
constexpr std::uint64_t kTellsVlanTags = 1 << 2;

// The attribute `wanted` of the answer to a question with one attribute.
template <class Number>
std::optional<Number> ask(std::uint16_t family, std::uint8_t command, const std::string& attribute,
                          std::uint16_t wanted) {
  const genlmsghdr head{command, 1, 0};
  std::string answer = ask_kernel(NETLINK_GENERIC, family, std::string(bytes_of(head)) + attribute);
  if (answer.size() < GENL_HDRLEN) return {};
  return begin_of<Number>(find_attribute(std::string_view(answer).substr(GENL_HDRLEN), wanted));
}

}  // namespace

bool tells_vlan_tag(const NetworkInterface& interface) {
  const auto family = ask<std::uint16_t>(GENL_ID_CTRL, CTRL_CMD_GETFAMILY,
                                         netlink_attribute(CTRL_ATTR_FAMILY_NAME, kFamily), CTRL_ATTR_FAMILY_ID);
  if (!family || access(kKernelTypes, R_OK) != 0) return false;
  const auto index = static_cast<std::uint32_t>(interface.index);
  const auto features =
      ask<std::uint64_t>(*family, kGetDevice, netlink_attribute(kInterfaceIndex, bytes_of(index)), kMetadataFeatures);
  return features && *features & kTellsVlanTags;
}

bool runs_xdp_program(const NetworkInterface& interface) {
  const std::string link = link_attribute(interface.index, IFLA_XDP);
  const auto way = begin_of<std::uint8_t>(find_attribute(link, IFLA_XDP_ATTACHED));
  return way && *way != XDP_ATTACHED_NONE;
}

}  // namespace warpmeter::inline packet
