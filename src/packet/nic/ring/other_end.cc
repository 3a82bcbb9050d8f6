#include "packet/nic/ring/other_end.h"

#include <linux/if_link.h>
#include <net/if.h>

#include <cstdint>

#include "packet/nic/ring/netlink.h"

namespace warpmeter::inline packet {

std::string name_of_other_end(const NetworkInterface& interface) {
  if (driver_of(interface) != "veth") return {};
  const auto index = begin_of<std::uint32_t>(link_attribute(interface.index, IFLA_LINK));
  const bool elsewhere = !link_attribute(interface.index, IFLA_LINK_NETNSID).empty();
  char name[IF_NAMESIZE];
  return index && !elsewhere && if_indextoname(*index, name) ? name : "";
}

std::string command_for_tags_inside(const std::string& name, const std::string& driver, const std::string& other_end) {
  if (driver != "veth") return "ethtool -K " + name + " rxvlan off";
  return "ethtool -K " + (other_end.empty() ? "OTHER_END" : other_end) + " txvlan off tx-vlan-stag-hw-insert off";
}

std::string command_for_single_segments(const std::string& name, const std::string& driver,
                                        const std::string& other_end) {
  if (driver == "veth") {
    return "ethtool -K " + (other_end.empty() ? "OTHER_END" : other_end) + " tso off tx-udp-segmentation off";
  }
  if (driver == "tun") return "ethtool -K INTERFACE tso off tx-udp-segmentation off  # in the machine behind it";
  if (driver == "bridge") return "ethtool -K PORT gro off  # and at the other ends of its ports, tso off";
  return "ethtool -K " + name + " gro off lro off tso off";
}

}  // namespace warpmeter::inline packet
