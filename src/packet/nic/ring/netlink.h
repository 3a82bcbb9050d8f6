// One question to the kernel by netlink, and what its answer has.
//
// Source: netlink(7).
//
// Threads: any.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

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

}  // namespace warpmeter::inline packet
