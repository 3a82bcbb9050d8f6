// Whether the link of a network interface was lost, or came up. The kernel tells of each change, also of one that is
// over when this is asked, or when it is told of. The interface is up, and has a carrier: a cable, and another end.
//
// Source: rtnetlink(7).
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "packet/nic/ring/netlink.h"

namespace warpmeter::inline packet {

struct LinkNews {
  bool went_down = false;  // it was up
  bool came_up = false;    // it was down; or it is up again, where both are true
};

// What the kernel's messages say. A link that was lost and is there again within a second may be told of in one
// message, of its end; that counts how often the carrier was lost.
class LinkState {
 public:
  // `is_up`: false, its users know already that it is down.
  LinkState(int interface, bool is_up) : interface_(interface), is_down_(!is_up) {}

  // `message`: as netlink gives it, aligned for nlmsghdr; what is at its end may be cut off. Messages of other kinds
  // and of other interfaces tell nothing.
  LinkNews news_in(std::span<const char> message);

 private:
  const int interface_;
  bool is_down_;
  std::optional<std::uint32_t> losses_;  // of the carrier, as the kernel counts them
};

class LinkWatch {
 public:
  // `is_up`: false, its users know already that it is down. Where the kernel does not tell, it is never down.
  LinkWatch(int interface, bool is_up);

  // Since this was asked last the link has gone down, perhaps more than once; and it is up now, but was not. At first:
  // it is down, though nobody knew.
  LinkNews news();

 private:
  bool take(LinkNews& news);  // false: some messages were lost

  const int interface_;
  LinkState state_;
  LinkMessages messages_;
};

}  // namespace warpmeter::inline packet
