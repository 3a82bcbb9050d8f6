#include "command/advise/card_facts.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/files/descriptor.h"
#include "packet/nic/ring/network_interface.h"

namespace warpmeter::inline command {
namespace {

// Questions to an interface's driver, as ethtool(8) asks them. Nothing is changed. What a driver does not answer is
// empty.
class Ethtool {
 public:
  explicit Ethtool(const std::string& interface);

  std::string driver() const;
  CardQueues queues() const;
  NowAndMost rx_ring() const;
  std::map<std::string, CardFeature> features() const;
  std::optional<CardHash> hash() const;
  std::map<std::string, HashFields> fields() const;
  std::uint32_t steering_rules() const;

 private:
  // `question` begins with its number, and has the answer if this is true.
  bool ask(void* question) const;

  const std::string interface_;
  const Descriptor socket_;
};

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

namespace fs = std::filesystem;

std::string first_line_of(const std::string& file) {
  std::string line;
  std::ifstream in(file);
  std::getline(in, line);
  return line;
}

// 0: there is none.
std::uint32_t number_in(const std::string& file) {
  const std::string line = first_line_of(file);
  std::uint32_t number = 0;
  std::from_chars(line.data(), line.data() + line.size(), number);
  return number;
}

bool runs(const std::string& program) {
  std::error_code error;
  for (fs::directory_iterator at("/proc", error), end; !error && at != end; at.increment(error)) {
    if (first_line_of(at->path() / "comm") == program) return true;
  }
  return false;
}

void ask_governors(CardFacts& facts) {
  for (const unsigned cpu : facts.near) {
    const std::string governor =
        first_line_of("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpufreq/scaling_governor");
    if (governor.empty() || governor == "performance") continue;
    if (facts.sleepy.empty()) facts.governor = governor;
    facts.sleepy.push_back(cpu);
  }
}

std::optional<bool> cuts_segments(const std::string& other_end) {
  if (other_end.empty()) return {};
  const auto features = Ethtool(other_end).features();
  const auto is_on = [&features](const char* name) {
    const auto found = features.find(name);
    return found != features.end() && found->second.on;
  };
  return !is_on("tx-tcp-segmentation") && !is_on("tx-udp-segmentation");
}

}  // namespace

CardFacts ask_card(const std::string& name) {
  const NetworkInterface interface = find_interface(name);
  const std::string folder = "/sys/class/net/" + name;
  const Ethtool driver(name);
  std::error_code error;
  CardFacts facts{.name = name,
                  .driver = driver.driver(),
                  .is_up = interface.is_up,
                  .other_end = name_of_other_end(interface),
                  .other_end_cuts = cuts_segments(name_of_other_end(interface)),
                  .tells_tags = tells_vlan_tag(interface),
                  .has_card = fs::exists(folder + "/device", error),
                  .speed_mbit = number_in(folder + "/speed"),
                  .mtu = number_in(folder + "/mtu"),
                  .node = numa_node_of(name),
                  .near = cpus_near(name),
                  .queues = driver.queues(),
                  .rx_ring = driver.rx_ring(),
                  .features = driver.features(),
                  .hash = driver.hash(),
                  .fields = driver.fields(),
                  .steering_rules = driver.steering_rules(),
                  .interrupts = queue_interrupts(name),
                  .irqbalance = runs("irqbalance"),
                  .sleepy = {},
                  .governor = {}};
  ask_governors(facts);
  return facts;
}

}  // namespace warpmeter::inline command
