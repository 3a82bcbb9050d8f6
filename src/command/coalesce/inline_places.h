// Where an inline run takes frames from and where it puts them: the interface IN, and OUT, a TAP device or another
// interface. All is open, checked and ready once this is made.
//
// Threads: one makes it; the parts as they say.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/files/descriptor.h"
#include "command/coalesce/inline_command.h"
#include "packet/inject/frame_writer.h"
#include "packet/inject/tap_device.h"
#include "packet/nic/ring/network_interface.h"
#include "packet/nic/ring/packet_ring.h"

namespace warpmeter::inline command {

class InlinePlaces {
 public:
  // Throws Error, in one line: one of them is not there, is no Ethernet, or could not carry what would be sent.
  explicit InlinePlaces(const InlineOptions& options);

  const NetworkInterface& in() const { return in_; }
  const std::optional<NetworkInterface>& out() const { return out_; }  // none: a TAP
  const std::string& name_of_out() const { return name_of_out_; }
  std::string description() const;  // "IN to OUT", for people
  // Lines for people: what is not as it should be, and no reason to do without.
  std::vector<std::string> remarks() const;

  PacketRing& ring() { return *ring_; }                     // of IN
  FrameWriter& writer() { return *writer_; }                // to OUT
  TapDevice* tap() { return tap_.get(); }                   // or null
  PacketRing* ring_of_out() { return ring_of_out_.get(); }  // of the other direction; null: it comes from the TAP
  FrameWriter& writer_of_in() { return *writer_of_in_; }

 private:
  void open_tap(const InlineOutput& to);
  void open_interface(const InlineOutput& to, const PacketRingOptions& ring);

  const NetworkInterface in_;
  std::optional<NetworkInterface> out_;
  std::string name_of_out_;
  std::unique_ptr<TapDevice> tap_;
  Descriptor claim_of_in_, claim_of_out_;  // two runs would forward each packet twice
  Descriptor wire_of_in_, wire_of_out_;
  std::unique_ptr<PacketRing> ring_, ring_of_out_;
  std::unique_ptr<FrameWriter> writer_, writer_of_in_;
};

}  // namespace warpmeter::inline command
