#include "packet/nic/ring/link_watch.h"

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

}  // namespace warpmeter::inline packet
