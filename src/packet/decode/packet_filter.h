// A capture filter in the language of pcap-filter(7), compiled by libpcap. It sees frames as they were on the wire, and
// means what it means to `tcpdump -r`; of what has an address family in the byte order of some machine, both orders do.
// Of tunnels it sees the outermost packet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/filter_program.h"
#include "warpmeter/frame.h"

namespace warpmeter::inline packet {

// Compiled once for each link type that is asked for, by whom first asks; a long one takes a while. Any number of
// threads may ask one PacketFilter.
class PacketFilter {
 public:
  // Throws Error (usage) if the expression is no filter for any link type, with the remark, or if this build has no
  // libpcap.
  explicit PacketFilter(const std::string& expression, const std::string& remark = "");
  ~PacketFilter();
  PacketFilter(const PacketFilter&) = delete;
  PacketFilter& operator=(const PacketFilter&) = delete;

  // False for frames of a link type that the filter is none for.
  bool matches(const Frame& frame) const;

  // Why frames of this link type cannot be filtered, as libpcap says it; empty: they can be. What no frame of the link
  // type matches is no reason.
  std::string refusal(std::uint16_t link) const;

  // Those that the filter is none for, and of which matches() was asked.
  std::vector<std::uint16_t> links_missed() const;

  // What is asked of frames of this link type. Empty: the filter is none for it, or it is another one for some frames.
  FilterProgram program(std::uint16_t link) const;

  static bool available();  // was this build made with libpcap?

 private:
  std::string name() const;

  struct Programs;
  std::unique_ptr<Programs> programs_;
};

// As a function, which is none without a filter. `filter` must outlive it.
std::function<std::string(std::uint16_t link)> refusals_of(const PacketFilter* filter);

// A long capture filter in parts (filter_parts.cc), of which a packet has to match one. libpcap takes minutes to
// compile one expression of a thousand alternatives, and a moment for each of some parts of it.
//
// Parts of about `size` characters, or less. The whole as one part where it is not sure that they mean the same:
// alternatives of all of it alone are taken apart, and only in front of a word that begins a new one, since `host a or
// b` means `host b`; and none behind words that change where later ones look, as `vlan` does.
std::vector<std::string> filter_parts(const std::string& expression, std::size_t size);

}  // namespace warpmeter::inline packet
