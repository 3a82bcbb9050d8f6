// A network interface of this machine as a capture sees it: its number, what its frames begin with, what the system
// knows of it that its users should hear about, what its driver does for XDP, and what is at its other end, if that is
// no cable's. And the words after -i that name several by what their names are like.
//
// Source: Documentation/networking/xdp-rx-metadata.rst and Documentation/netlink/specs/netdev.yaml of Linux.
//
// Threads: any.
#pragma once

#include <fnmatch.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
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

// Does it cut large packets of TCP into segments when it sends them (TSO)?
bool cuts_tcp(const NetworkInterface& interface);

// May frames come with their outermost VLAN tag beside them instead of in them ("rxvlan")?
bool has_tags_beside(const NetworkInterface& interface);

// Of IP, other than those of IPv6 that every interface has for its link.
bool has_address(const NetworkInterface& interface);

// Bytes of an IP packet; 1,500 where nobody tells.
std::uint32_t mtu_of(const NetworkInterface& interface);
// Asked by its index, since it may have another name by now; nothing where it is gone.
std::optional<std::uint32_t> current_mtu(const NetworkInterface& interface);

// The longest frame of one segment, bytes: its MTU with the link's header and two VLAN tags.
std::uint32_t longest_frame(const NetworkInterface& interface);
std::uint32_t longest_frame_of(std::uint32_t mtu);
// Frames of other links may have longer headers.
bool mtu_tells_frames(std::uint16_t link);

// "veth", "ixgbe"; empty: nobody tells.
std::string driver_of(const NetworkInterface& interface);

// Is an XDP program told of the VLAN tag that is beside the frame, not in it? The driver can, and so can the kernel
// (Linux 6.8, where it tells its types). False also where nobody tells.
bool tells_vlan_tag(const NetworkInterface& interface);

// It runs an XDP program, be it a driver's or the kernel's own way to.
bool runs_xdp_program(const NetworkInterface& interface);

// The other interface of a veth. Empty: this is no veth, or that one is in another network namespace.
std::string name_of_other_end(const NetworkInterface& interface);

// Changes that frames come with their VLAN tag beside them. A veth gives what the other one sent as it is. `name`,
// `other_end`: as words of a shell; `other_end` may be empty.
std::string command_for_tags_inside(const std::string& name, const std::string& driver, const std::string& other_end);

// Changes that frames of several segments come: the other end of a veth, of a tap and of a bridge's ports leaves them
// so (TSO), a card merges them, and this host's own are cut later.
std::string command_for_single_segments(const std::string& name, const std::string& driver,
                                        const std::string& other_end);

inline constexpr std::string_view kAnyInterface = "any";

// "any", or a pattern as shells have them for files (glob(7)): no interface has such a name.
inline bool is_interface_pattern(std::string_view word) {
  return word == kAnyInterface || word.find_first_of("*?[") != std::string_view::npos;
}

struct InterfacePattern {
  std::string word;
  std::vector<std::string> others = {};  // names and patterns; an interface that one of these names is not this one's

  bool matches(const std::string& name) const {
    const auto is_named_by = [&name](const std::string& by) {
      return by == kAnyInterface || by == name || fnmatch(by.c_str(), name.c_str(), 0) == 0;
    };
    return is_named_by(word) && std::ranges::none_of(others, is_named_by);
  }
};

}  // namespace warpmeter::inline packet
