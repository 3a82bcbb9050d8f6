#include "command/advise/card_facts.h"

#include <charconv>
#include <filesystem>
#include <fstream>

#include "command/advise/ethtool.h"
#include "packet/nic/ring/network_interface.h"

namespace warpmeter::inline command {
namespace {

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
