#include "packet/nic/feeder/driver_statistics.h"

#include <linux/ethtool.h>
#include <linux/if.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/byte_order.h"

namespace warpmeter::inline packet {
namespace {

constexpr std::uint32_t kMostStatistics = 65'536;

bool ask_ethtool(int fd, const std::string& interface, void* request) {
  ifreq who{};
  std::memcpy(who.ifr_name, interface.data(), std::min(interface.size(), sizeof who.ifr_name - 1));
  who.ifr_data = static_cast<char*>(request);
  return ioctl(fd, SIOCETHTOOL, &who) == 0;
}

std::uint32_t count_of(int fd, const std::string& interface) {
  alignas(ethtool_sset_info) std::uint8_t request[sizeof(ethtool_sset_info) + sizeof(std::uint32_t)] = {};
  auto* const info = reinterpret_cast<ethtool_sset_info*>(request);
  info->cmd = ETHTOOL_GSSET_INFO;
  info->sset_mask = std::uint64_t{1} << ETH_SS_STATS;
  if (!ask_ethtool(fd, interface, request) || info->sset_mask == 0) return 0;
  return std::min(load<std::uint32_t>(request + sizeof(ethtool_sset_info)), kMostStatistics);
}

std::uint64_t sum_of(int fd, const std::string& interface, std::initializer_list<std::string_view> names) {
  const std::uint32_t count = count_of(fd, interface);
  if (count == 0) return 0;
  std::vector<std::uint64_t> text((sizeof(ethtool_gstrings) + std::size_t{count} * ETH_GSTRING_LEN + 7) / 8);
  auto* const strings = reinterpret_cast<ethtool_gstrings*>(text.data());
  strings->cmd = ETHTOOL_GSTRINGS;
  strings->string_set = ETH_SS_STATS;
  strings->len = count;
  std::vector<std::uint64_t> numbers(sizeof(ethtool_stats) / 8 + count);
  auto* const statistics = reinterpret_cast<ethtool_stats*>(numbers.data());
  statistics->cmd = ETHTOOL_GSTATS;
  statistics->n_stats = count;
  if (!ask_ethtool(fd, interface, strings) || !ask_ethtool(fd, interface, statistics)) return 0;
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < std::min({count, strings->len, statistics->n_stats}); ++i) {
    const char* const name = reinterpret_cast<const char*>(text.data()) + sizeof *strings + i * ETH_GSTRING_LEN;
    const std::string_view called(name, strnlen(name, ETH_GSTRING_LEN));
    if (std::ranges::find(names, called) != names.end()) sum += numbers[sizeof *statistics / 8 + i];
  }
  return sum;
}

}  // namespace

std::uint64_t driver_statistics_sum(const std::string& interface, std::initializer_list<std::string_view> names) {
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return 0;
  const std::uint64_t sum = sum_of(fd, interface, names);
  close(fd);
  return sum;
}

}  // namespace warpmeter::inline packet
