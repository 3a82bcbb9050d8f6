#include "packet/nic/ring/link_watch.h"

namespace warpmeter::inline packet {

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
