#include "packet/nic/ring/link_messages.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstddef>

namespace warpmeter::inline packet {
namespace {

constexpr std::size_t kMostAtOnce = 32 << 10;

}  // namespace

LinkMessages::LinkMessages(int room)
    : kernel_(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE)) {
  sockaddr_nl address{};
  address.nl_family = AF_NETLINK;
  address.nl_groups = RTMGRP_LINK;
  if (kernel_ && bind(kernel_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) kernel_ = {};
  if (!kernel_ || room == 0) return;
  if (setsockopt(kernel_.get(), SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room) != 0) {
    setsockopt(kernel_.get(), SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
  }
}

void LinkMessages::ask_for(int interface) const { ask(interface, NLM_F_REQUEST); }
void LinkMessages::ask_for_all() const { ask(0, NLM_F_REQUEST | NLM_F_DUMP); }

void LinkMessages::ask(int interface, unsigned short flags) const {
  struct {
    nlmsghdr header;
    ifinfomsg link;
  } question{};
  question.header.nlmsg_len = sizeof question;
  question.header.nlmsg_type = RTM_GETLINK;
  question.header.nlmsg_flags = flags;
  question.link.ifi_index = interface;
  [[maybe_unused]] const auto sent = send(kernel_.get(), &question, sizeof question, 0);
}

bool LinkMessages::take(const std::function<void(std::span<const char>)>& messages) const {
  alignas(nlmsghdr) std::array<char, kMostAtOnce> buffer;
  for (;;) {
    const ssize_t got = recv(kernel_.get(), buffer.data(), buffer.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == ENOBUFS) return false;
    if (got <= 0) return true;
    messages({buffer.data(), static_cast<std::size_t>(got)});
  }
}

}  // namespace warpmeter::inline packet
