#include "packet/nic/ring/network_interface.h"

#include <ifaddrs.h>
#include <linux/ethtool.h>
#include <linux/genetlink.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "base/files/descriptor.h"
#include "base/words/printable.h"
#include "packet/nic/bpf/bpf_code.h"
#include "packet/nic/ring/netlink.h"
#include "warpmeter/frame.h"
#include "warpmeter/link_type.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {
namespace {

// What a driver had no room for, by the names that drivers give it.
std::uint32_t lost_in(const rtnl_link_stats& stats) {
  return stats.rx_missed_errors + stats.rx_fifo_errors + stats.rx_over_errors;
}

// A socket for questions about interfaces.
class QuestionSocket {
 public:
  explicit QuestionSocket(const std::string& interface) : socket_(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    if (!socket_) socket_.reset(socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    interface.copy(request_.ifr_name, sizeof request_.ifr_name - 1);
  }

  // The answer is in request() if this is true.
  bool ask(unsigned long question) { return socket_ && ioctl(socket_.get(), question, &request_) == 0; }
  ifreq& request() { return request_; }

  bool ask_ethtool(void* question) {
    request_.ifr_data = static_cast<char*>(question);
    return ask(SIOCETHTOOL);
  }

  // One number that ethtool(8) shows; 0 if the interface has none.
  std::uint32_t ethtool(std::uint32_t command) {
    ethtool_value value{command, 0};
    return ask_ethtool(&value) ? value.data : 0;
  }

 private:
  Descriptor socket_;
  ifreq request_{};
};

std::string names_of_all() {
  std::string names;
  struct if_nameindex* const all = if_nameindex();
  if (!all) return names;
  for (const struct if_nameindex* one = all; one->if_index; ++one) {
    names += (names.empty() ? "" : ", ") + printable(one->if_name);
  }
  if_freenameindex(all);
  return names;
}

}  // namespace

std::uint16_t link_of_type(unsigned short type) {
  switch (type) {
    case ARPHRD_ETHER:
    case ARPHRD_LOOPBACK: return kLinkEthernet;
    case ARPHRD_NONE:  // of tun
    case ARPHRD_PPP:   // the kernel has taken PPP's own header away
    case ARPHRD_RAWIP:
    case ARPHRD_TUNNEL:
    case ARPHRD_TUNNEL6:
    case ARPHRD_SIT: return kLinkRaw;
    case ARPHRD_IEEE80211: return kLinkWlan;
    case ARPHRD_IEEE80211_PRISM: return kLinkPrism;
    case ARPHRD_IEEE80211_RADIOTAP: return kLinkRadiotap;
    default: return kUnknownLink;
  }
}

NetworkInterface find_interface(const std::string& name) {
  const unsigned index = name.size() < IFNAMSIZ ? if_nametoindex(name.c_str()) : 0;
  if (index == 0) {
    throw Error("there is no network interface " + printable(name) + "; there are: " + names_of_all());
  }
  QuestionSocket socket(name);
  NetworkInterface found{.name = name, .index = static_cast<int>(index)};
  if (!socket.ask(SIOCGIFHWADDR)) throw Error(printable(name) + ": " + std::strerror(errno));
  found.link = link_of_type(socket.request().ifr_hwaddr.sa_family);
  if (found.link == kUnknownLink) {
    throw Error(printable(name) + ": frames of this kind of interface (type " +
                std::to_string(socket.request().ifr_hwaddr.sa_family) + ") are not decoded");
  }
  if (!socket.ask(SIOCGIFFLAGS)) throw Error(printable(name) + ": " + std::strerror(errno));
  found.is_up = socket.request().ifr_flags & IFF_UP;
  found.is_loopback = socket.request().ifr_flags & IFF_LOOPBACK;
  return found;
}

bool interface_exists(int index) {
  char name[IF_NAMESIZE];
  return if_indextoname(static_cast<unsigned>(index), name) || (errno != ENXIO && errno != ENODEV);
}

std::optional<std::uint32_t> lost_by_interface(const NetworkInterface& interface) {
  const auto stats = begin_of<rtnl_link_stats>(link_attribute(interface.index, IFLA_STATS));
  if (!stats) return {};
  return lost_in(*stats);
}

std::optional<std::map<int, std::uint32_t>> lost_by_interfaces() {
  std::map<int, std::uint32_t> lost;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return {};
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(all, freeifaddrs);
  for (const ifaddrs* one = all; one; one = one->ifa_next) {
    if (!one->ifa_addr || one->ifa_addr->sa_family != AF_PACKET || !one->ifa_data) continue;
    sockaddr_ll address;
    std::memcpy(&address, one->ifa_addr, sizeof address);
    rtnl_link_stats stats;
    std::memcpy(&stats, one->ifa_data, sizeof stats);
    lost[address.sll_ifindex] = lost_in(stats);
  }
  return lost;
}

bool has_address(const NetworkInterface& interface) {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return false;
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(all, freeifaddrs);
  for (const ifaddrs* one = all; one; one = one->ifa_next) {
    if (!one->ifa_addr || interface.name != one->ifa_name) continue;
    if (one->ifa_addr->sa_family == AF_INET) return true;
    if (one->ifa_addr->sa_family != AF_INET6) continue;
    sockaddr_in6 address;
    std::memcpy(&address, one->ifa_addr, sizeof address);
    if (!IN6_IS_ADDR_LINKLOCAL(&address.sin6_addr)) return true;
  }
  return false;
}

std::vector<std::string> merging_offloads(const NetworkInterface& interface) {
  QuestionSocket socket(interface.name);
  std::vector<std::string> found;
  if (socket.ethtool(ETHTOOL_GGRO)) found.emplace_back("gro");
  if (socket.ethtool(ETHTOOL_GFLAGS) & ETH_FLAG_LRO) found.emplace_back("lro");
  return found;
}

bool cuts_tcp(const NetworkInterface& interface) { return QuestionSocket(interface.name).ethtool(ETHTOOL_GTSO); }

bool has_tags_beside(const NetworkInterface& interface) {
  return QuestionSocket(interface.name).ethtool(ETHTOOL_GFLAGS) & ETH_FLAG_RXVLAN;
}

std::uint32_t mtu_of(const NetworkInterface& interface) {
  constexpr std::uint32_t kUsual = 1500;
  QuestionSocket socket(interface.name);
  return socket.ask(SIOCGIFMTU) ? static_cast<std::uint32_t>(socket.request().ifr_mtu) : kUsual;
}

std::optional<std::uint32_t> current_mtu(const NetworkInterface& interface) {
  return begin_of<std::uint32_t>(link_attribute(interface.index, IFLA_MTU));
}

bool mtu_tells_frames(std::uint16_t link) { return link == kLinkEthernet || link == kLinkRaw; }

std::uint32_t longest_frame_of(std::uint32_t mtu) {
  constexpr std::uint32_t kLinkHeader = 14, kTwoTags = 8;
  return kLinkHeader + kTwoTags + mtu;
}

std::uint32_t longest_frame(const NetworkInterface& interface) { return longest_frame_of(mtu_of(interface)); }

std::string driver_of(const NetworkInterface& interface) {
  ethtool_drvinfo info{};
  info.cmd = ETHTOOL_GDRVINFO;
  if (!QuestionSocket(interface.name).ask_ethtool(&info)) return {};
  return {info.driver, strnlen(info.driver, sizeof info.driver)};
}

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
