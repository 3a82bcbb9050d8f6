#include "packet/nic/ring/pattern_point.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/words/printable.h"
#include "warpmeter/frame.h"

namespace warpmeter::inline packet {
namespace {

constexpr std::size_t kMostNames = 8;  // in a line

std::vector<std::string> names_of(const FollowedInterfaces::Table& interfaces) {
  std::vector<std::string> names;
  for (const auto& [index, interface] : interfaces) {
    if (interface.is_there && interface.is_followed) names.push_back(interface.name);
  }
  std::ranges::sort(names);
  return names;
}

std::string list_of(const std::vector<std::string>& names) {
  if (names.empty()) return "none";
  if (names.size() > kMostNames) return fmt::format("{} interfaces", names.size());
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + printable(name);
  return list;
}

// What is not decoded needs no filter.
void require_filters(const FollowedInterfaces::Table& interfaces, const FilterOfLink& filter) {
  for (const auto& [index, interface] : interfaces) {
    const std::uint16_t link = link_of_type(interface.type);
    if (interface.is_followed && link != kUnknownLink) require_filter(filter, interface.name, link);
  }
}

}  // namespace

PatternPoint::PatternPoint(std::shared_ptr<FollowedInterfaces> interfaces, PacketRings rings)
    : interfaces_(std::move(interfaces)),
      rings_(std::move(rings)),
      lost_(lost_by_interfaces().value_or(std::map<int, std::uint32_t>())) {}

std::uint32_t PatternPoint::observe_as(ObservedPoints& observed) {
  interfaces_->observe_as(observed);
  return interfaces_->own_point();
}

void PatternPoint::tell_at_start(const Warn& warn) const {
  const std::string name = printable(this->name());
  if (this->name() == kAnyInterface) {
    warn(
        "any: a packet that passes several interfaces (a bridge and its ports, both ends of a veth) comes from each; "
        "--duplicate-window says what counts as a copy");
  }
  if (names_of(*interfaces_->now()).empty()) {
    warn(fmt::format("{}: no network interface is called so yet; it waits for one", name));
  }
}

// What a new interface lost before it was seen here counts as well.
void PatternPoint::look_at_losses() {
  const auto interfaces = interfaces_->now();
  std::optional<std::map<int, std::uint32_t>> lost = lost_by_interfaces();
  if (!lost) return;
  for (const auto& [index, count] : *lost) {
    const auto known = interfaces->find(index);
    if (known == interfaces->end() || !known->second.is_followed) continue;
    const auto before = lost_.find(index);
    const std::uint32_t since = count - (before == lost_.end() ? 0 : before->second);
    if (since) interfaces_->count_lost(index, since);
    lost_since_ += since;
  }
  lost_ = std::move(*lost);
}

void PatternPoint::look(const Warn& warn) {
  if (!std::exchange(told_, true)) tell_at_start(warn);
  for (const std::string& line : interfaces_->take_news()) warn(line);
  for (const NetworkInterface& interface : interfaces_->take_those_with_long_frames()) {
    tell_of_long_frames(interface, warn);
  }
  look_at_losses();
}

std::unique_ptr<ObservationPoint> open_pattern_point(InterfacePattern pattern, unsigned rings,
                                                     const PacketRingOptions& options) {
  const auto interfaces = std::make_shared<FollowedInterfaces>(std::move(pattern));
  const auto there = interfaces->now();
  require_filters(*there, options.filter);
  const NetworkInterface all{.name = interfaces->pattern().word};
  PacketRings made = make_packet_rings(all, rings, options, interfaces);
  if (options.promiscuous) interfaces->make_promiscuous_by(made.rings.front()->fd());
  made.way += ", now from " + list_of(names_of(*there));
  return std::make_unique<PatternPoint>(interfaces, std::move(made));
}

}  // namespace warpmeter::inline packet
