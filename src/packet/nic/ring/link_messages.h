// What the kernel tells of network interfaces, unasked of each change and when it is asked.
//
// Source: rtnetlink(7), netlink(7).
//
// Threads: one at a time.
#pragma once

#include <functional>
#include <span>

#include "packet/nic/bpf/owned_descriptor.h"

namespace warpmeter::inline packet {

class LinkMessages {
 public:
  // `room`: bytes of what is told while nobody takes it; 0: the system's. Where the kernel tells nothing, none come.
  explicit LinkMessages(int room = 0);

  // The answer is among the messages, as of a change.
  void ask_for(int interface) const;
  void ask_for_all() const;

  // Gives all that there are, several at once, aligned for nlmsghdr. False: some were lost just here, for want of room;
  // others may be behind.
  bool take(const std::function<void(std::span<const char>)>& messages) const;

 private:
  void ask(int interface, unsigned short flags) const;

  OwnedDescriptor kernel_;
};

}  // namespace warpmeter::inline packet
