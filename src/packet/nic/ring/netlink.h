// What the kernel tells by netlink: the answer to one question, and messages of network interfaces.
//
// Source: netlink(7), rtnetlink(7).
//
// Threads: any; LinkMessages by one at a time.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/files/descriptor.h"

namespace warpmeter::inline packet {

// What is behind the header of the answer's first message; empty: there is none, or it is an error. `type`: of the
// message, as `message` is what is behind its header.
std::string ask_kernel(int protocol, std::uint16_t type, std::string_view message);

// An attribute as it stands in a message, with what fills it up.
std::string netlink_attribute(std::uint16_t type, std::string_view value);

// The first of this type; empty: there is none.
std::string_view find_attribute(std::string_view attributes, std::uint16_t type);

// Of what the kernel tells of a network interface, by its number (rtnetlink(7)). Empty: nothing.
std::string link_attribute(int interface, std::uint16_t type);

// A number, or the head of a message, at the begin of `bytes`, in the order of this machine.
template <class Value>
std::optional<Value> begin_of(std::string_view bytes) {
  Value value;
  if (bytes.size() < sizeof value) return {};
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

template <class Value>
std::string_view bytes_of(const Value& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// What the kernel tells of network interfaces, unasked of each change and when it is asked.
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

  Descriptor kernel_;
};

}  // namespace warpmeter::inline packet
