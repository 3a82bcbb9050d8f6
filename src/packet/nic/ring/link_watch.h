// Whether the link of a network interface was lost, or came up. The kernel tells of each change, also of one that is
// over when this is asked, or when it is told of.
//
// Threads: one at a time.
#pragma once

#include "packet/nic/ring/link_messages.h"
#include "packet/nic/ring/link_state.h"

namespace warpmeter::inline packet {

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
