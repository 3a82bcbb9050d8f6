#include "ring/link_watch.h"

#include <linux/if.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace warpmeter {
namespace {

struct LinkMessage {
  nlmsghdr header;
  ifinfomsg link;
};

// How often the carrier was lost so far. `bytes`: of the message that came; what is at its end may be cut off.
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

LinkWatch::LinkWatch(int interface, bool is_up)
    : interface_(interface),
      is_down_(!is_up),
      socket_(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE)) {
  sockaddr_nl address{};
  address.nl_family = AF_NETLINK;
  address.nl_groups = RTMGRP_LINK;
  if (socket_ && bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) ask();
}

// The answer is a message as of a change.
void LinkWatch::ask() const {
  LinkMessage question{};
  question.header.nlmsg_len = sizeof question;
  question.header.nlmsg_type = RTM_GETLINK;
  question.header.nlmsg_flags = NLM_F_REQUEST;
  question.link.ifi_index = interface_;
  [[maybe_unused]] const auto sent = send(socket_.get(), &question, sizeof question, 0);
}

bool LinkWatch::went_down() {
  bool some_lost = false;
  bool went = take_news(some_lost);
  if (!some_lost) return went;
  ask();
  return take_news(some_lost) || went;
}

// Each is of one interface, and begins with its flags. Of a link that is down already no loss is news.
bool LinkWatch::take_news(bool& some_lost) {
  bool went = false;
  alignas(LinkMessage) std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t got = recv(socket_.get(), buffer.data(), buffer.size(), 0);
    if (got < 0 && errno == ENOBUFS) some_lost = true;
    if (got < 0 && (errno == ENOBUFS || errno == EINTR)) continue;
    if (got <= 0) return went;
    const auto& message = *reinterpret_cast<const LinkMessage*>(buffer.data());
    if (got < static_cast<ssize_t>(sizeof message) || message.header.nlmsg_len < sizeof message) continue;
    if (message.header.nlmsg_type != RTM_NEWLINK) continue;
    if (message.link.ifi_index != interface_) continue;
    constexpr unsigned kThere = IFF_UP | IFF_LOWER_UP;
    const bool is_down = (message.link.ifi_flags & kThere) != kThere;
    const auto losses = losses_in(message, static_cast<std::size_t>(got));
    const bool was_lost = losses && losses_ && *losses != *losses_;
    went = ((is_down || was_lost) && !is_down_) || went;
    is_down_ = is_down;
    if (losses) losses_ = losses;
  }
}

}  // namespace warpmeter
