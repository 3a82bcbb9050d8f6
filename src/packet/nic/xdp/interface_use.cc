#include "packet/nic/xdp/interface_use.h"

#include <ifaddrs.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <system_error>

#include "base/files/descriptor.h"

namespace warpmeter::inline packet {
namespace {

// A number that the kernel shows in a file.
std::optional<std::uint64_t> number_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::uint64_t number = 0;
  if (in >> number) return number;
  return {};
}

// A bridge, a bond, a VLAN: whatever lies above it gets what it gets.
bool is_below_another(const std::filesystem::path& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    if (name == "master" || name.starts_with("upper_")) return true;
  }
  return static_cast<bool>(error);
}

bool ask(const NetworkInterface& interface, unsigned long question, ifreq& request) {
  const Descriptor asked(socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0));
  interface.name.copy(request.ifr_name, sizeof request.ifr_name - 1);
  return asked && ioctl(asked.get(), question, &request) == 0;
}

}  // namespace

bool has_ip_address(const NetworkInterface& interface) {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return true;
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(all, freeifaddrs);
  for (const ifaddrs* one = all; one; one = one->ifa_next) {
    if (!one->ifa_addr || interface.name != one->ifa_name) continue;
    if (one->ifa_addr->sa_family == AF_INET || one->ifa_addr->sa_family == AF_INET6) return true;
  }
  return false;
}

// What is shown there may be another namespace's.
std::string use_by_host(const NetworkInterface& interface) {
  if (interface.is_loopback) return "the host talks to itself by it";
  if (!interface.is_up) return "it is down";
  if (has_ip_address(interface)) return "it has an IP address";
  const std::filesystem::path folder = std::filesystem::path("/sys/class/net") / interface.name;
  if (number_in(folder / "ifindex") != static_cast<std::uint64_t>(interface.index)) {
    return kUnknownUse;
  }
  if (is_below_another(folder)) return "another interface is made of it";
  if (number_in(folder / "statistics" / "tx_packets") != std::uint64_t{0}) return "it has sent packets";
  return "";
}

unsigned receive_queues(const NetworkInterface& interface) {
  ethtool_channels channels{};
  channels.cmd = ETHTOOL_GCHANNELS;
  ifreq request{};
  request.ifr_data = reinterpret_cast<char*>(&channels);
  if (!ask(interface, SIOCETHTOOL, request)) return 1;
  return std::max(channels.rx_count + channels.combined_count, 1U);
}

}  // namespace warpmeter::inline packet
