// A network interface as an Observation Point, whatever kind its rings are of; and whether its link was lost, or came
// up. Rings of AF_PACKET, or one of libpcap.
//
// Source: rtnetlink(7), of the link; pcap(3PCAP).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "packet/nic/ring/netlink.h"
#include "packet/nic/ring/network_interface.h"
#include "packet/nic/ring/observation_points.h"
#include "packet/nic/ring/packet_ring.h"

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

// Whether the link of a network interface was lost, or came up. The kernel tells of each change, also of one that is
// over when this is asked, or when it is told of. The interface is up, and has a carrier: a cable, and another end.
//
// Threads: one at a time.
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

class InterfacePoint : public ObservationPoint {
 public:
  // `rings`: one or more, of this interface. `way`: how they get their packets, see ObservationPoint. `before_merging`:
  // they get them before GRO and the like make one of several.
  InterfacePoint(const NetworkInterface& interface, std::vector<std::unique_ptr<Ring>> rings, std::string way,
                 bool before_merging = false);

  std::string name() const override { return interface_.name; }
  int interface_index() const override { return interface_.index; }
  std::string way() const override { return way_; }
  std::size_t rings() const override { return rings_.size(); }
  Ring& ring(std::size_t number) override { return *rings_[number]; }
  void look(const Warn& warn) override;
  bool is_gone() const override { return gone_; }
  PointCounts counts() const override { return {interface_.name, lost_since_}; }

 private:
  void tell_at_start(const Warn& warn);
  void look_at_frame_length(const Warn& warn);

  const NetworkInterface interface_;
  const std::string way_;
  const bool before_merging_;
  const std::vector<std::unique_ptr<Ring>> rings_;
  LinkWatch link_;
  bool told_ = false;                          // what is to be said at first
  std::uint32_t lost_;                         // as the system said last
  std::atomic<std::uint64_t> lost_since_ = 0;  // the capture began
  std::atomic<bool> gone_ = false;
  std::uint32_t longest_frame_ = 0;  // by its MTU, when it was looked at last; 0: its MTU does not tell
  bool told_of_uncut_ = false;
};

// Frames come that are longer than its MTU allows: a line, with the command against it.
void tell_of_long_frames(const NetworkInterface& interface, const Warn& warn);

// Throws Error, which names the interface, if frames of this link type cannot be filtered. `filter`: perhaps none.
void require_filter(const FilterOfLink& filter, const std::string& interface, std::uint16_t link);

struct PacketRings {
  std::vector<std::unique_ptr<Ring>> rings;
  std::string way;  // see ObservationPoint
};

// So many rings of AF_PACKET, which share the packets of an interface; or of all, where some are `followed`. Throws
// Error.
PacketRings make_packet_rings(const NetworkInterface& interface, unsigned rings, const PacketRingOptions& options,
                              const std::shared_ptr<FollowedInterfaces>& followed = nullptr);

// An interface with so many rings of AF_PACKET; loopback has one. `why`: not another way, for people. Throws Error.
std::unique_ptr<ObservationPoint> open_packet_point(const std::string& interface, unsigned rings,
                                                    const PacketRingOptions& options, const std::string& why = "");

// An interface with one ring, the last kind, for where no other can be had: packets that libpcap gives, copied into
// blocks (pcap_ring.cc). Of the options all but the filter count, which is for its reader to ask. Throws Error: rights
// are missing, this build has no libpcap.
std::unique_ptr<ObservationPoint> open_pcap_point(const std::string& interface, const PacketRingOptions& options);

}  // namespace warpmeter::inline packet
