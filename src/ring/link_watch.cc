#include "ring/link_watch.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace warpmeter {

LinkWatch::LinkWatch(int interface, bool is_up)
    : interface_(interface),
      state_(interface, is_up),
      socket_(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE)) {
  sockaddr_nl address{};
  address.nl_family = AF_NETLINK;
  address.nl_groups = RTMGRP_LINK;
  if (socket_ && bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) ask();
}

// The answer is a message as of a change.
void LinkWatch::ask() const {
  struct {
    nlmsghdr header;
    ifinfomsg link;
  } question{};
  question.header.nlmsg_len = sizeof question;
  question.header.nlmsg_type = RTM_GETLINK;
  question.header.nlmsg_flags = NLM_F_REQUEST;
  question.link.ifi_index = interface_;
  [[maybe_unused]] const auto sent = send(socket_.get(), &question, sizeof question, 0);
}

LinkNews LinkWatch::news() {
  bool some_lost = false;
  LinkNews news;
  take(news, some_lost);
  if (!some_lost) return news;
  ask();
  take(news, some_lost);
  return news;
}

void LinkWatch::take(LinkNews& news, bool& some_lost) {
  alignas(nlmsghdr) std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t got = recv(socket_.get(), buffer.data(), buffer.size(), 0);
    if (got < 0 && errno == ENOBUFS) some_lost = true;
    if (got < 0 && (errno == ENOBUFS || errno == EINTR)) continue;
    if (got <= 0) return;
    const LinkNews more = state_.news_in({buffer.data(), static_cast<std::size_t>(got)});
    if (more.went_down) news = {.went_down = true};  // what came up before is down again
    news.came_up = news.came_up || more.came_up;
  }
}

}  // namespace warpmeter
