#include "command/advise/advise.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/program/messages.h"
#include "base/words/printable.h"
#include "command/advise/card_facts.h"
#include "packet/nic/ring/network_interface.h"

namespace warpmeter::inline command {
namespace {

constexpr std::uint32_t kUsualMtu = 1500;

bool is_on(const CardFacts& f, const std::string& feature) {
  const auto found = f.features.find(feature);
  return found != f.features.end() && found->second.on;
}

bool is_fixed(const CardFacts& f, const std::string& feature) { return f.features.at(feature).fixed; }

// As one word of a shell: names of interfaces may hold $, ; and more, and commands are made to be copied.
std::string as_word(const std::string& name) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:@-";
  if (name.find_first_not_of(kPlain) == std::string::npos) return name;
  std::string word = "'";
  for (const char c : printable(name)) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

class Adviser {
 public:
  explicit Adviser(const CardFacts& facts) : f_(facts), name_(as_word(facts.name)) {}

  std::vector<Advice> all() {
    if (!f_.is_up) add("the interface is down, so nothing comes in", fmt::format("ip link set {} up", name_));
    advise_offloads();
    advise_frame_length();
    advise_queues();
    advise_hash();
    advise_steering();
    advise_rings();
    advise_cpus();
    return std::move(advice_);
  }

 private:
  void add(std::string what, std::string command) { advice_.push_back({std::move(what), std::move(command)}); }

  void turn_off(const std::string& feature, const std::string& short_name, const std::string& why) {
    if (!is_on(f_, feature)) return;
    if (is_fixed(f_, feature))
      return add(fmt::format("{} is on, and its driver cannot turn it off: {}", short_name, why), "");
    add(fmt::format("{} is on: {}", short_name, why), fmt::format("ethtool -K {} {} off", name_, short_name));
  }

  void advise_offloads() {
    const std::string merges =
        "several segments come as one, with one time; --ring packet cuts them again, where the kernel tells how, and "
        "pcap counts them as one";
    turn_off("rx-gro", "gro", merges);
    turn_off("rx-gro-hw", "rx-gro-hw", merges);
    turn_off("rx-lro", "lro", merges);
    turn_off("rx-gro-list", "rx-gro-list", merges);
    turn_off("rx-udp-gro-forwarding", "rx-udp-gro-forwarding", "several datagrams come as one");
    advise_other_end();
    advise_tags();
  }

  void advise_other_end() {
    if (f_.driver != "veth" && f_.driver != "tun" && f_.driver != "bridge") return;
    if (f_.other_end_cuts.value_or(false)) return;
    const std::string other_end = f_.other_end.empty() ? "" : as_word(f_.other_end);
    add("the other end may leave several segments in one frame (TSO): --ring packet cuts them, where the kernel tells "
        "how, and pcap counts them as one",
        command_for_single_segments(name_, f_.driver, other_end));
  }

  void advise_tags() {
    if (f_.tells_tags) return;
    if (f_.driver == "veth" && is_on(f_, "rx-vlan-hw-parse")) {
      const std::string other_end = f_.other_end.empty() ? "" : as_word(f_.other_end);
      add("VLAN tags that the other end keeps beside frames are lost to AF_XDP (rings of AF_PACKET get them back)",
          command_for_tags_inside(name_, f_.driver, other_end));
    } else if (f_.has_card) {
      turn_off("rx-vlan-hw-parse", "rxvlan",
               "VLAN tags that the card takes out of frames are lost to AF_XDP (rings of AF_PACKET get them back)");
    }
  }

  void advise_frame_length() {
    if (!f_.has_card || f_.mtu == 0 || f_.mtu > kUsualMtu) return;
    add(fmt::format("MTU {}: cards drop longer frames; a mirror port may carry such (jumbo frames, added tags)",
                    f_.mtu),
        fmt::format("ip link set {} mtu 9000", name_));
  }

  // As many as there are CPUs near the card.
  void advise_queues() {
    const bool combined = f_.queues.combined.most > 0;
    const NowAndMost& queues = combined ? f_.queues.combined : f_.queues.rx;
    if (!f_.has_card || queues.most < 2 || f_.near.empty()) return;
    const auto wanted = std::min<std::uint32_t>(queues.most, static_cast<std::uint32_t>(f_.near.size()));
    if (queues.now == wanted) return;
    add(fmt::format(
            "{} receive queues, of at most {}, for {} CPUs near the card ({}): a ring, a thread and a CPU a queue is "
            "best",
            queues.now, queues.most, f_.near.size(), cpu_list_text(f_.near)),
        fmt::format("ethtool -L {} {} {}", name_, combined ? "combined" : "rx", wanted));
  }

  void advise_hash() {
    if (!f_.hash || f_.rx_queues() < 2) return;
    if (!is_symmetric(*f_.hash)) {
      add("RSS key: both directions of a conversation come to different queues, so packets are handed over between "
          "rings",
          f_.hash->is_toeplitz ? fmt::format("ethtool -X {} hkey {}", name_, symmetric_key())
                               : fmt::format("ethtool -X {} hfunc toeplitz hkey {}", name_, symmetric_key()));
    }
    for (const auto& [kind, fields] : f_.fields) {
      const bool both = fields.source == fields.destination && fields.source_port == fields.destination_port;
      if (both && fields.source) continue;
      add(fmt::format("RSS fields of {}: not source and destination alike, so a conversation comes to different queues",
                      kind),
          fmt::format("ethtool -N {} rx-flow-hash {} sdfn", name_, kind));
    }
  }

  std::string symmetric_key() const {
    std::string key;
    for (std::size_t i = 0; i < f_.hash->key.size(); ++i) key += fmt::format("{}{}", i ? ":" : "", i % 2 ? "5a" : "6d");
    return key;
  }

  void advise_steering() {
    if (f_.steering_rules == 0) return;
    add(fmt::format("{} rules choose queues beside RSS (ntuple): what they move is not where its flow is",
                    f_.steering_rules),
        fmt::format("ethtool -n {0}; ethtool -N {0} delete RULE", name_));
  }

  void advise_rings() {
    if (f_.rx_ring.now >= f_.rx_ring.most) return;
    add(fmt::format(
            "a queue of the card holds {} frames, of at most {}: what comes in a burst beyond it is lost by the "
            "interface",
            f_.rx_ring.now, f_.rx_ring.most),
        fmt::format("ethtool -G {} rx {}", name_, f_.rx_ring.most));
  }

  void advise_cpus() {
    if (f_.irqbalance && !f_.interrupts.empty()) {
      add("irqbalance runs, which moves interrupts away from the CPUs of their rings", "systemctl stop irqbalance");
    }
    const auto is_apart = [this](const QueueInterrupt& one) {
      const auto cpus = parse_cpu_list(one.cpus);
      return cpus && cpus->size() == 1 && std::ranges::find(f_.near, cpus->front()) != f_.near.end();
    };
    const auto spread = std::ranges::count_if(f_.interrupts, [&](const auto& one) { return !is_apart(one); });
    if (spread > 0) {
      add(fmt::format("{} of {} interrupts of queues have no CPU of their own near the card", spread,
                      f_.interrupts.size()),
          fmt::format("warpmeter live -i {} --affinity auto --set-irq-affinity", name_));
    }
    if (f_.sleepy.empty()) return;
    add(fmt::format("CPUs {} may run slowly (governor {})", cpu_list_text(f_.sleepy), printable(f_.governor)),
        fmt::format("cpupower -c {} frequency-set -g performance", cpu_list_text(f_.sleepy)));
  }

  const CardFacts& f_;
  const std::string name_;
  std::vector<Advice> advice_;
};

std::string hash_text(const CardFacts& f) {
  if (!f.hash) return "RSS: its driver tells no key";
  std::string text = fmt::format("RSS: {}, {}",
                                 f.hash->is_xor        ? "xor"
                                 : f.hash->is_toeplitz ? "Toeplitz"
                                                       : "another function",
                                 is_symmetric(*f.hash) ? "symmetric" : "not symmetric");
  const auto letters = [](const HashFields& fields) {
    return fmt::format("{}{}{}{}", fields.source ? "s" : "", fields.destination ? "d" : "",
                       fields.source_port ? "f" : "", fields.destination_port ? "n" : "");
  };
  for (const auto& [kind, fields] : f.fields) text += fmt::format(", {} {}", kind, letters(fields));
  return text;
}

}  // namespace

// A key that repeats after two bytes treats source and destination alike; so does the exclusive or of all fields.
bool is_symmetric(const CardHash& hash) {
  if (hash.mirrors_input || hash.is_xor) return true;
  if (!hash.is_toeplitz || hash.key.size() < 2) return false;
  for (std::size_t i = 2; i < hash.key.size(); ++i) {
    if (hash.key[i] != hash.key[i - 2]) return false;
  }
  return true;
}

std::vector<Advice> advice_for(const CardFacts& facts) { return Adviser(facts).all(); }

std::vector<std::string> findings_of(const CardFacts& f) {
  std::vector<std::string> lines;
  std::string card = f.has_card ? "card" : "no card: the kernel made this interface";
  if (!f.driver.empty()) card += ", driver " + printable(f.driver);
  if (f.speed_mbit && f.speed_mbit != static_cast<std::uint32_t>(-1)) card += fmt::format(", {} Mbit/s", f.speed_mbit);
  lines.push_back(f.mtu ? card + fmt::format(", MTU {}", f.mtu) : card);
  lines.push_back(fmt::format("CPUs near it: {}{}", cpu_list_text(f.near),
                              f.node ? fmt::format(" (NUMA node {})", *f.node) : " (no NUMA node is told)"));
  if (f.rx_queues()) lines.push_back(fmt::format("receive queues: {}", f.rx_queues()));
  if (f.rx_ring.most) lines.push_back(fmt::format("frames a queue of the card holds: {}", f.rx_ring.now));
  if (f.has_card) lines.push_back(hash_text(f));
  for (const QueueInterrupt& one : f.interrupts) {
    lines.push_back(
        fmt::format("interrupt {} ({}, queue {}): CPU {}", one.number, printable(one.name), one.queue, one.cpus));
  }
  if (f.has_card && f.interrupts.empty()) lines.emplace_back("interrupts of queues: none are known");
  return lines;
}

std::string advice_text(const CardFacts& facts) {
  std::string text = printable(facts.name) + "\n";
  for (const std::string& line : findings_of(facts)) text += "  " + line + "\n";
  const std::vector<Advice> all = advice_for(facts);
  text += all.empty() ? "nothing to change\n" : "to change\n";
  for (const Advice& one : all) {
    text += "  " + one.what + "\n";
    if (!one.command.empty()) text += "      " + one.command + "\n";
  }
  return text + "Nothing was changed.\n";
}

ExitStatus advise(const std::string& interface) {
  put(advice_text(ask_card(interface)));
  return ExitStatus::ok;
}

}  // namespace warpmeter::inline command
