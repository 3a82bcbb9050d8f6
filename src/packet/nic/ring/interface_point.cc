#include "packet/nic/ring/interface_point.h"

#include <fmt/format.h>
#include <linux/if.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/words/human_units.h"
#include "base/words/printable.h"
#include "packet/nic/ring/network_interface.h"
#include "warpmeter/link_type.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {
namespace {

struct LinkMessage {
  nlmsghdr header;
  ifinfomsg link;
};

std::optional<std::uint32_t> losses_in(const LinkMessage& message, std::size_t bytes) {
  auto left = static_cast<int>(std::min<std::size_t>(bytes, message.header.nlmsg_len) - sizeof message);
  const auto* attribute = reinterpret_cast<const rtattr*>(&message + 1);
  for (; RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left)) {
    std::uint32_t losses;
    if (attribute->rta_type != IFLA_CARRIER_DOWN_COUNT || RTA_PAYLOAD(attribute) < sizeof losses) continue;
    std::memcpy(&losses, RTA_DATA(attribute), sizeof losses);
    return losses;
  }
  return std::nullopt;
}

void tell_of_merging(const NetworkInterface& interface, const Warn& warn) {
  for (const std::string& offload : merging_offloads(interface)) {
    warn(
        fmt::format("{0}: {1} is on, so several segments may come as one, and the counts are of those "
                    "(ethtool -K {0} {1} off)",
                    printable(interface.name), offload));
  }
}

// Patterns have numbers that no interface has.
int number_in_group(const NetworkInterface& interface) {
  static std::atomic<int> patterns = 0;
  return interface.index > 0 ? interface.index : -++patterns;
}

}  // namespace

LinkNews LinkState::news_in(std::span<const char> bytes) {
  const auto& message = *reinterpret_cast<const LinkMessage*>(bytes.data());
  if (bytes.size() < sizeof message || message.header.nlmsg_len < sizeof message) return {};
  if (message.header.nlmsg_type != RTM_NEWLINK || message.link.ifi_index != interface_) return {};
  constexpr unsigned kThere = IFF_UP | IFF_LOWER_UP;
  const bool is_down = (message.link.ifi_flags & kThere) != kThere;
  const auto losses = losses_in(message, bytes.size());
  const bool was_lost = losses && losses_ && *losses != *losses_;
  const LinkNews news{.went_down = (is_down || was_lost) && !is_down_, .came_up = !is_down && (is_down_ || was_lost)};
  is_down_ = is_down;
  if (losses) losses_ = losses;
  return news;
}

LinkWatch::LinkWatch(int interface, bool is_up) : interface_(interface), state_(interface, is_up) {
  messages_.ask_for(interface_);
}

LinkNews LinkWatch::news() {
  LinkNews news;
  bool some_lost = false;
  while (!take(news)) some_lost = true;
  if (!some_lost) return news;
  messages_.ask_for(interface_);
  while (!take(news)) {
  }
  return news;
}

bool LinkWatch::take(LinkNews& news) {
  return messages_.take([&](std::span<const char> messages) {
    const LinkNews more = state_.news_in(messages);
    if (more.went_down) news = {.went_down = true};  // what came up before is down again
    news.came_up = news.came_up || more.came_up;
  });
}

InterfacePoint::InterfacePoint(const NetworkInterface& interface, std::vector<std::unique_ptr<Ring>> rings,
                               std::string way, bool before_merging)
    : interface_(interface),
      way_(std::move(way)),
      before_merging_(before_merging),
      rings_(std::move(rings)),
      link_(interface.index, interface.is_up),
      lost_(lost_by_interface(interface).value_or(0)) {
  if (!mtu_tells_frames(interface_.link)) return;
  for (const auto& ring : rings_) ring->ask_for_longest_frame([this] { return longest_frame(interface_); });
  longest_frame_ = longest_frame(interface_);
}

// What AF_XDP takes is before any of it.
void InterfacePoint::tell_at_start(const Warn& warn) {
  const std::string name = printable(interface_.name);
  if (!interface_.is_up) warn(fmt::format("{0} is down: no packets until it is up (ip link set {0} up)", name));
  if (before_merging_) return;
  if (!rings_.front()->cuts()) tell_of_merging(interface_, warn);
  if (runs_xdp_program(interface_)) {
    warn(
        fmt::format("{0}: it runs an XDP program, perhaps a capture by AF_XDP: what that takes does not come here "
                    "(ip link show {0})",
                    name));
  }
}

// The MTU may change; where it became smaller, longer frames may be on their way still.
void InterfacePoint::look_at_frame_length(const Warn& warn) {
  std::uint64_t uncut = 0;
  const std::uint32_t before = std::exchange(longest_frame_, longest_frame_ ? longest_frame(interface_) : 0);
  for (const auto& ring : rings_) {
    if (longest_frame_) ring->set_longest_frame(std::max(before, longest_frame_));
    uncut += ring->uncut();
  }
  if (uncut == 0 || std::exchange(told_of_uncut_, true)) return;
  tell_of_long_frames(interface_, warn);
}

// Nobody tells the socket that its interface was removed.
void InterfacePoint::look(const Warn& warn) {
  if (!std::exchange(told_, true)) tell_at_start(warn);
  if (!gone_ && !interface_exists(interface_.index)) gone_ = true;
  if (gone_) return;
  look_at_frame_length(warn);
  const LinkNews news = link_.news();
  if (news.went_down) {
    warn(printable(interface_.name) + ": the link is down; what comes when it is up again is metered");
  }
  if (news.came_up) warn(printable(interface_.name) + ": the link is up");
  const std::uint32_t lost = lost_by_interface(interface_).value_or(lost_);
  lost_since_ += lost - std::exchange(lost_, lost);
}

void tell_of_long_frames(const NetworkInterface& interface, const Warn& warn) {
  const std::string command =
      command_for_single_segments(interface.name, driver_of(interface), name_of_other_end(interface));
  warn(
      fmt::format("{}: frames come that are longer than its MTU of {} allows, and count as one packet each: in those "
                  "that were put together, or are to be cut, are several segments ({})",
                  printable(interface.name), mtu_of(interface), printable(command)));
}

void require_filter(const FilterOfLink& filter, const std::string& interface, std::uint16_t link) {
  if (!filter) return;
  try {
    filter(link);
  } catch (const Error& error) {
    throw Error(printable(interface) + ": " + error.what());
  }
}

PacketRings make_packet_rings(const NetworkInterface& interface, unsigned rings, const PacketRingOptions& options,
                              const std::shared_ptr<FollowedInterfaces>& followed) {
  // Groups are known in the whole network namespace: two processes must not have the same by chance, nor two patterns.
  std::optional<PacketRingShare> share;
  if (rings > 1) share = {static_cast<std::uint16_t>(getpid() * 31 + number_in_group(interface)), options.fanout};
  PacketRings made;
  bool filters_ethernet = false;
  for (unsigned number = 0; number < rings; ++number) {
    const PinnedForNow pinned(cpu_of_ring(options.cpus, number));
    auto ring = followed ? std::make_unique<PacketRing>(followed, number, options, share)
                         : std::make_unique<PacketRing>(interface, number, options, share);
    filters_ethernet = ring->filters_ethernet();
    made.rings.push_back(std::move(ring));
  }
  const auto size = static_cast<double>(made.rings.front()->size());
  made.way = fmt::format("AF_PACKET, {} {} of {}", rings, rings == 1 ? "ring" : "rings", human_bytes(size));
  if (share && options.fanout == Fanout::queue) made.way += ", shared by RX queue";
  if (share && options.fanout == Fanout::cpu) made.way += ", shared by CPU";
  if (filters_ethernet) made.way += followed ? ", filter of Ethernet in the kernel" : ", filter in the kernel";
  return made;
}

std::unique_ptr<ObservationPoint> open_packet_point(const std::string& name, unsigned rings,
                                                    const PacketRingOptions& options, const std::string& why) {
  const NetworkInterface interface = find_interface(name);
  // Rings that share packets would get each twice there: their group does not heed PACKET_IGNORE_OUTGOING.
  PacketRings made = make_packet_rings(interface, interface.is_loopback ? 1 : rings, options);
  if (!why.empty()) made.way += ": " + why;
  return std::make_unique<InterfacePoint>(interface, std::move(made.rings), std::move(made.way));
}

}  // namespace warpmeter::inline packet
