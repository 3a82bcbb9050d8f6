#include "packet/nic/ring/link_state.h"

#include <linux/if.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include <algorithm>
#include <cstring>

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

}  // namespace warpmeter::inline packet
