// A network interface of this machine as a capture sees it: its number, what its frames begin with, and what the system
// knows of it that its users should hear about.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpmeter::inline packet {

struct NetworkInterface {
  std::string name;
  int index = 0;
  std::uint16_t link = 0;  // LINKTYPE number of its frames
  bool is_up = true;
  bool is_loopback = false;
};

// Throws Error: there is no such interface (it names those that there are), or what its frames begin with is not known.
NetworkInterface find_interface(const std::string& name);

// Is there an interface of this number? One that was removed and made again has another.
bool interface_exists(int index);

// What libpcap calls the frames of an interface of this type (ARPHRD_...); kUnknownLink if they are none that are
// decoded.
std::uint16_t link_of_type(unsigned short type);

// Packets that the interface itself lost, for want of buffers, before any ring could have them: what its driver tells
// (rx_missed_errors, rx_fifo_errors and rx_over_errors of the statistics that the kernel keeps; not rx_dropped, which
// counts what nobody but the capture wanted). 32 bits, since the machine started. Empty if nobody tells.
std::optional<std::uint32_t> lost_by_interface(const NetworkInterface& interface);
// The same of all, by their numbers. Empty if the kernel does not answer.
std::optional<std::map<int, std::uint32_t>> lost_by_interfaces();

// Offloads that change packets before anybody sees them: "gro", "lro". With those, several segments come as one.
std::vector<std::string> merging_offloads(const NetworkInterface& interface);

// May frames come with their outermost VLAN tag beside them instead of in them ("rxvlan")?
bool has_tags_beside(const NetworkInterface& interface);

// Bytes of an IP packet; 1,500 where nobody tells.
std::uint32_t mtu_of(const NetworkInterface& interface);

// The longest frame of one segment, bytes: its MTU with the link's header and two VLAN tags.
std::uint32_t longest_frame(const NetworkInterface& interface);
std::uint32_t longest_frame_of(std::uint32_t mtu);
// Frames of other links may have longer headers.
bool mtu_tells_frames(std::uint16_t link);

// "veth", "ixgbe"; empty: nobody tells.
std::string driver_of(const NetworkInterface& interface);

}  // namespace warpmeter::inline packet
