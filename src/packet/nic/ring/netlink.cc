#include "packet/nic/ring/netlink.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <algorithm>

#include "packet/nic/bpf/owned_descriptor.h"

namespace warpmeter::inline packet {
namespace {

constexpr std::size_t kMostOfAnswer = 32 << 10;  // of an interface with many virtual functions some KiB

}  // namespace

std::string ask_kernel(int protocol, std::uint16_t type, std::string_view message) {
  const OwnedDescriptor kernel(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol));
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

}  // namespace warpmeter::inline packet
