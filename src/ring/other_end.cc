#include "ring/other_end.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>

#include <cstdint>
#include <string_view>

#include "ring/netlink.h"

namespace warpmeter {

std::string name_of_other_end(const NetworkInterface& interface) {
  if (driver_of(interface) != "veth") return {};
  ifinfomsg question{};
  question.ifi_index = interface.index;
  const std::string answer = ask_kernel(NETLINK_ROUTE, RTM_GETLINK, bytes_of(question));
  if (answer.size() < sizeof question) return {};
  const std::string_view attributes = std::string_view(answer).substr(sizeof question);
  const auto index = begin_of<std::uint32_t>(find_attribute(attributes, IFLA_LINK));
  char name[IF_NAMESIZE];
  if (!index || !find_attribute(attributes, IFLA_LINK_NETNSID).empty() || !if_indextoname(*index, name)) return {};
  return name;
}

std::string command_for_tags_inside(const std::string& name, const std::string& driver, const std::string& other_end) {
  if (driver != "veth") return "ethtool -K " + name + " rxvlan off";
  return "ethtool -K " + (other_end.empty() ? "OTHER_END" : other_end) + " txvlan off tx-vlan-stag-hw-insert off";
}

}  // namespace warpmeter
