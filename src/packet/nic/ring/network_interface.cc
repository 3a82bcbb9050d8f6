#include "packet/nic/ring/network_interface.h"

#include <ifaddrs.h>
#include <linux/ethtool.h>

#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/words/printable.h"
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
  explicit QuestionSocket(const std::string& interface) : fd_(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    if (fd_ < 0) fd_ = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    interface.copy(request_.ifr_name, sizeof request_.ifr_name - 1);
  }
  ~QuestionSocket() {
    if (fd_ >= 0) close(fd_);
  }
  QuestionSocket(const QuestionSocket&) = delete;
  QuestionSocket& operator=(const QuestionSocket&) = delete;

  // The answer is in request() if this is true.
  bool ask(unsigned long question) { return fd_ >= 0 && ioctl(fd_, question, &request_) == 0; }
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
  int fd_;
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

std::vector<std::string> merging_offloads(const NetworkInterface& interface) {
  QuestionSocket socket(interface.name);
  std::vector<std::string> found;
  if (socket.ethtool(ETHTOOL_GGRO)) found.emplace_back("gro");
  if (socket.ethtool(ETHTOOL_GFLAGS) & ETH_FLAG_LRO) found.emplace_back("lro");
  return found;
}

bool has_tags_beside(const NetworkInterface& interface) {
  return QuestionSocket(interface.name).ethtool(ETHTOOL_GFLAGS) & ETH_FLAG_RXVLAN;
}

std::uint32_t mtu_of(const NetworkInterface& interface) {
  constexpr std::uint32_t kUsual = 1500;
  QuestionSocket socket(interface.name);
  return socket.ask(SIOCGIFMTU) ? static_cast<std::uint32_t>(socket.request().ifr_mtu) : kUsual;
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

}  // namespace warpmeter::inline packet
