#include "command/advise/ethtool.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cstring>
#include <utility>
#include <vector>

namespace warpmeter::inline command {
namespace {

constexpr std::uint32_t kMostOfAny = 1 << 16;    // that a driver may say there are
constexpr std::uint8_t kToeplitz = 1, kXor = 2;  // bits of hfunc
constexpr unsigned kBlockBits = 32;

// A question with as many bytes behind it as the answer needs.
template <class Head>
struct LongQuestion {
  explicit LongQuestion(std::size_t behind) : bytes(sizeof(Head) + behind) {}
  Head& head() { return *reinterpret_cast<Head*>(bytes.data()); }
  const std::uint8_t* behind() const { return bytes.data() + sizeof(Head); }
  std::vector<std::uint8_t> bytes;
};

}  // namespace

Ethtool::Ethtool(const std::string& interface)
    : interface_(interface), socket_(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {}

bool Ethtool::ask(void* question) const {
  ifreq request{};
  interface_.copy(request.ifr_name, sizeof request.ifr_name - 1);
  request.ifr_data = static_cast<char*>(question);
  return ioctl(socket_.get(), SIOCETHTOOL, &request) == 0;
}

std::string Ethtool::driver() const {
  ethtool_drvinfo info{};
  info.cmd = ETHTOOL_GDRVINFO;
  if (!ask(&info)) return {};
  return {info.driver, strnlen(info.driver, sizeof info.driver)};
}

CardQueues Ethtool::queues() const {
  ethtool_channels channels{};
  channels.cmd = ETHTOOL_GCHANNELS;
  if (!ask(&channels)) return {};
  return {{channels.rx_count, channels.max_rx}, {channels.combined_count, channels.max_combined}};
}

NowAndMost Ethtool::rx_ring() const {
  ethtool_ringparam ring{};
  ring.cmd = ETHTOOL_GRINGPARAM;
  if (!ask(&ring)) return {};
  return {ring.rx_pending, ring.rx_max_pending};
}

std::map<std::string, CardFeature> Ethtool::features() const {
  LongQuestion<ethtool_sset_info> size(sizeof(std::uint32_t));
  size.head().cmd = ETHTOOL_GSSET_INFO;
  size.head().sset_mask = 1ULL << ETH_SS_FEATURES;
  std::uint32_t count = 0;
  if (!ask(size.bytes.data()) || !size.head().sset_mask) return {};
  std::memcpy(&count, size.behind(), sizeof count);
  if (count == 0 || count > kMostOfAny) return {};
  LongQuestion<ethtool_gstrings> names(std::size_t{count} * ETH_GSTRING_LEN);
  names.head().cmd = ETHTOOL_GSTRINGS;
  names.head().string_set = ETH_SS_FEATURES;
  names.head().len = count;
  const std::uint32_t blocks = (count + kBlockBits - 1) / kBlockBits;
  LongQuestion<ethtool_gfeatures> states(blocks * sizeof(ethtool_get_features_block));
  states.head().cmd = ETHTOOL_GFEATURES;
  states.head().size = blocks;
  if (!ask(names.bytes.data()) || !ask(states.bytes.data())) return {};
  std::map<std::string, CardFeature> found;
  for (std::uint32_t i = 0; i < count; ++i) {
    ethtool_get_features_block block;
    std::memcpy(&block, states.behind() + i / kBlockBits * sizeof block, sizeof block);
    const std::uint32_t bit = 1U << i % kBlockBits;
    const auto* const name = reinterpret_cast<const char*>(names.behind()) + std::size_t{i} * ETH_GSTRING_LEN;
    found[std::string(name, strnlen(name, ETH_GSTRING_LEN))] = {
        (block.active & bit) != 0, !(block.available & bit) || (block.never_changed & bit)};
  }
  return found;
}

std::optional<CardHash> Ethtool::hash() const {
  ethtool_rxfh sizes{};
  sizes.cmd = ETHTOOL_GRSSH;
  if (!ask(&sizes) || sizes.key_size == 0 || sizes.key_size > kMostOfAny || sizes.indir_size > kMostOfAny) return {};
  const std::size_t table = sizes.indir_size * sizeof(std::uint32_t);
  LongQuestion<ethtool_rxfh> all(table + sizes.key_size);
  all.head().cmd = ETHTOOL_GRSSH;
  all.head().indir_size = sizes.indir_size;
  all.head().key_size = sizes.key_size;
  if (!ask(all.bytes.data())) return {};
  // Behind hfunc newer kernels say whether the fields are made alike for both directions.
  const std::uint8_t transformed = all.bytes[offsetof(ethtool_rxfh, hfunc) + 1];
  return CardHash{(all.head().hfunc & kToeplitz) != 0, (all.head().hfunc & kXor) != 0, transformed != 0,
                  std::vector(all.behind() + table, all.behind() + table + sizes.key_size)};
}

std::map<std::string, HashFields> Ethtool::fields() const {
  static constexpr std::pair<const char*, std::uint32_t> kKinds[] = {
      {"tcp4", TCP_V4_FLOW}, {"udp4", UDP_V4_FLOW}, {"tcp6", TCP_V6_FLOW}, {"udp6", UDP_V6_FLOW}};
  std::map<std::string, HashFields> found;
  for (const auto& [name, kind] : kKinds) {
    ethtool_rxnfc question{};
    question.cmd = ETHTOOL_GRXFH;
    question.flow_type = kind;
    if (!ask(&question)) continue;
    found[name] = {(question.data & RXH_IP_SRC) != 0, (question.data & RXH_IP_DST) != 0,
                   (question.data & RXH_L4_B_0_1) != 0, (question.data & RXH_L4_B_2_3) != 0};
  }
  return found;
}

std::uint32_t Ethtool::steering_rules() const {
  ethtool_rxnfc question{};
  question.cmd = ETHTOOL_GRXCLSRLCNT;
  return ask(&question) ? question.rule_cnt : 0;
}

}  // namespace warpmeter::inline command
