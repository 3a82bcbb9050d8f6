// What the kernel's messages say of the link of one network interface: the interface is up, and has a carrier (a cable,
// and another end). A link that was lost and is there again within a second may be told of in one message, of its end;
// that counts how often the carrier was lost.
//
// Source: rtnetlink(7).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace warpmeter::inline packet {

struct LinkNews {
  bool went_down = false;  // it was up
  bool came_up = false;    // it was down; or it is up again, where both are true
};

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

}  // namespace warpmeter::inline packet
