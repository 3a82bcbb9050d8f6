// A capture filter in the language of pcap-filter(7), compiled by libpcap. It sees frames of Ethernet, Linux cooked,
// raw IP and 802.11 as they are, of all other link types the IP packet. Of tunnels it sees the outermost packet.
#pragma once

#include <memory>
#include <string>

#include "core/filter_program.h"
#include "warpmeter/frame.h"

namespace warpmeter {

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

  bool matches(const Frame& frame) const;

  // What is asked of frames of this link type, as they are. Empty: not the frame is asked but the packet in it, or the
  // filter is none for this link type.
  FilterProgram program(std::uint16_t link) const;

  static bool available();  // was this build made with libpcap?

 private:
  struct Programs;
  std::unique_ptr<Programs> programs_;
};

}  // namespace warpmeter
