#include "command/live/open_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/program/messages.h"
#include "base/words/printable.h"
#include "command/advise/advise.h"
#include "command/advise/card_facts.h"
#include "packet/nic/feeder/feeder_point.h"
#include "packet/nic/feeder/hpcap_point.h"
#include "packet/nic/ring/interface_point.h"
#include "packet/nic/ring/network_interface.h"
#include "packet/nic/ring/pattern_point.h"
#include "packet/nic/xdp/interface_use.h"
#include "packet/nic/xdp/xdp_point.h"
#include "warpmeter/link_type.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {
namespace {

using Point = std::unique_ptr<ObservationPoint>;

Point open_feeder(const std::string& word, const LiveOptions& options) {
  return std::make_unique<FeederPoint>(word.substr(kFeederWord.size()), std::max(options.rings, 1U));
}

// By the card's own choice of a queue where that is as good as a hash of ours: both directions of a conversation come
// to one queue, and no rule moves some elsewhere.
Fanout fanout_for(const std::string& interface, unsigned rings) {
  const CardFacts card = ask_card(interface);
  const bool is_symmetric_card = card.hash && is_symmetric(*card.hash) && card.steering_rules == 0;
  return card.has_card && card.rx_queues() >= rings && is_symmetric_card ? Fanout::queue : Fanout::hash;
}

Point open_packet(const std::string& interface, const LiveOptions& options, const std::string& why = "") {
  const unsigned rings = std::max(options.rings, 1U);
  PacketRingOptions ring = options.ring;
  if (ring.fanout == Fanout::automatic) ring.fanout = rings > 1 ? fanout_for(interface, rings) : Fanout::hash;
  return open_packet_point(interface, rings, ring, why);
}

Point open_xdp(const std::string& interface, const LiveOptions& options) {
  return open_xdp_point(interface, {.rings = options.rings,
                                    .bytes = options.ring.bytes,
                                    .promiscuous = options.ring.promiscuous,
                                    .most_pause = std::chrono::milliseconds(options.ring.block_ms),
                                    .cpus = options.ring.cpus});
}

// What AF_XDP takes the host does not get. So nobody gets it unasked but on a port that only a capture can be meant
// for. Where another capture takes everything, a ring of AF_PACKET would stay empty and nobody would know why.
Point open_best(const std::string& interface, const LiveOptions& options) {
  const std::string use = use_by_host(find_interface(interface));
  if (!use.empty()) return open_packet(interface, options, "no AF_XDP without --ring xdp, since " + use);
  try {
    return open_xdp(interface, options);
  } catch (const NoXdp& no) {
    if (no.because() == NoXdp::Because::taken) throw;
    return open_packet(interface, options, "no AF_XDP: " + no.reason());
  }
}

// Rings of AF_PACKET alone get the packets of interfaces that are not there yet.
Point open_pattern(const std::string& word, const LiveOptions& options) {
  if (options.kind == RingKind::xdp || options.kind == RingKind::pcap) {
    throw Error(fmt::format("--ring {} takes an interface by its name; {} goes with --ring packet",
                            options.kind == RingKind::xdp ? "xdp" : "pcap", printable(word)),
                ExitStatus::usage);
  }
  InterfacePattern pattern{word};
  for (auto other = options.interfaces.begin(); other != options.interfaces.end(); ++other) {
    const bool is_before = other < std::ranges::find(options.interfaces, word);
    if (source_kind_of(*other) == SourceKind::network || (is_interface_pattern(*other) && is_before)) {
      pattern.others.push_back(*other);
    }
  }
  PacketRingOptions ring = options.ring;
  if (ring.fanout == Fanout::automatic) ring.fanout = Fanout::hash;
  return open_pattern_point(std::move(pattern), std::max(options.rings, 1U), ring);
}

Point open_point(const std::string& word, const LiveOptions& options) {
  if (source_kind_of(word) == SourceKind::pattern) return open_pattern(word, options);
  if (source_kind_of(word) == SourceKind::feeder) return open_feeder(word, options);
  if (source_kind_of(word) == SourceKind::hpcap) {
    require_filter(options.ring.filter, word, kLinkEthernet);
    return open_hpcap_point(word.substr(kHpcapWord.size()));
  }
  if (options.kind != RingKind::pcap) require_filter(options.ring.filter, word, find_interface(word).link);
  switch (options.kind) {
    case RingKind::xdp: return open_xdp(word, options);
    case RingKind::packet: return open_packet(word, options);
    case RingKind::pcap: return open_pcap_point(word, options.ring);
    case RingKind::automatic: break;
  }
  return open_best(word, options);
}

// An interface of AF_XDP has one for each of its queues, at most; loopback, libpcap and HP-CAP have one.
void tell_of_rings(unsigned asked, ObservationPoint& point) {
  const std::size_t rings = point.rings();
  if (asked <= rings) return;
  warn(fmt::format("{}: {} {}, not {}, since it has no more (--rings)", point.name(), rings,
                   rings == 1 ? "ring" : "rings", asked));
}

}  // namespace

std::vector<std::unique_ptr<ObservationPoint>> open_points(const LiveOptions& options, CpuPlan& cpus) {
  LiveOptions of_point = options;
  std::vector<std::unique_ptr<ObservationPoint>> points;
  for (const std::string& word : options.interfaces) {
    const bool twice = std::ranges::any_of(points, [&](const auto& point) { return point->name() == word; });
    if (twice) throw Error(printable(word) + " is named twice", ExitStatus::usage);
    of_point.ring.cpus = cpus.of_next(word);
    points.push_back(open_point(word, of_point));
    tell_of_rings(options.rings, *points.back());
    cpus.add(word, points.back()->rings());
  }
  return points;
}

}  // namespace warpmeter::inline command
