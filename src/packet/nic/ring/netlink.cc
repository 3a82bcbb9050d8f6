#include "packet/nic/ring/netlink.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>

#include "base/files/descriptor.h"

namespace warpmeter::inline packet {
namespace {

constexpr std::size_t kMostOfAnswer = 32 << 10;  // of an interface with many virtual functions some KiB

}  // namespace

std::string ask_kernel(int protocol, std::uint16_t type, std::string_view message) {
  const Descriptor kernel(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol));
  const nlmsghdr header{static_cast<std::uint32_t>(NLMSG_HDRLEN + message.size()), type, NLM_F_REQUEST, 1, 0};
  std::string bytes(bytes_of(header));
  bytes += message;
  if (!kernel || send(kernel.get(), bytes.data(), bytes.size(), 0) < 0) return {};
  bytes.resize(kMostOfAnswer);
  const ssize_t got = recv(kernel.get(), bytes.data(), bytes.size(), 0);
  const auto answer = begin_of<nlmsghdr>({bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))});
  if (!answer || answer->nlmsg_type == NLMSG_ERROR || answer->nlmsg_len < NLMSG_HDRLEN) return {};
  bytes.resize(std::min<std::size_t>(answer->nlmsg_len, static_cast<std::size_t>(got)));
  return bytes.substr(NLMSG_HDRLEN);
}

std::string netlink_attribute(std::uint16_t type, std::string_view value) {
  const nlattr head{static_cast<std::uint16_t>(NLA_HDRLEN + value.size()), type};
  std::string bytes(bytes_of(head));
  bytes += value;
  bytes.resize(NLA_ALIGN(bytes.size()));
  return bytes;
}

std::string_view find_attribute(std::string_view attributes, std::uint16_t type) {
  while (const auto head = begin_of<nlattr>(attributes)) {
    if (head->nla_len < NLA_HDRLEN || head->nla_len > attributes.size()) break;
    if ((head->nla_type & NLA_TYPE_MASK) == type) return attributes.substr(NLA_HDRLEN, head->nla_len - NLA_HDRLEN);
    attributes.remove_prefix(std::min<std::size_t>(NLA_ALIGN(head->nla_len), attributes.size()));
  }
  return {};
}

std::string link_attribute(int interface, std::uint16_t type) {
  ifinfomsg question{};
  question.ifi_index = interface;
  const std::string answer = ask_kernel(NETLINK_ROUTE, RTM_GETLINK, bytes_of(question));
  if (answer.size() < sizeof question) return {};
  return std::string(find_attribute(std::string_view(answer).substr(sizeof question), type));
}

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
