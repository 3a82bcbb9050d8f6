// Packets of one direction, given to a Coalescer one by one, and what leaves it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "stream/coalescing/coalescer.h"
#include "support/packets.h"
#include "warpmeter/link_type.h"

namespace warpmeter::test {

inline constexpr std::int64_t kMicrosecond = 1'000;

// A packet of one direction, as told.
struct Told {
  std::uint32_t sequence = 1000;
  std::size_t payload = 100;
  std::uint8_t flags = 0x10;
  std::int64_t after_ns = kMicrosecond;  // the one before
  std::uint32_t acknowledgement = 0;
  std::uint16_t window = 512;
  std::uint8_t ttl = 64;
  bool ip6 = false;
};

class Talk {
 public:
  explicit Talk(const CoalescerOptions& options = {}) : coalescer_(options) {}

  // Whether it does not pass untouched.
  bool take(const Told& told) {
    const Bytes segment = tcp({.sequence = told.sequence,
                               .acknowledgement = told.acknowledgement,
                               .flags = told.flags,
                               .window = told.window},
                              Bytes(told.payload, static_cast<std::uint8_t>(told.sequence)));
    const Bytes ip = told.ip6 ? ip6({}, segment) : ip4({.ttl = told.ttl}, segment);
    frames_.push_back(std::make_unique<Bytes>(ethernet(told.ip6 ? 0x86dd : 0x0800, ip)));
    time_ns_ += told.after_ns;
    const auto size = static_cast<std::uint32_t>(frames_.back()->size());
    CoalescingPacket packet;
    look_at({frames_.back()->data(), time_ns_, size, size, kLinkEthernet}, false, HashSeed(1), packet);
    const Outcome outcome = coalescer_.take(packet, frames_.size(), passed_, left);
    passed_ += size;
    if (outcome == Outcome::alone) ++alone;
    return outcome != Outcome::passes;
  }
  void end() { coalescer_.end(passed_, left); }

  // How often lists have left for this reason.
  std::uint64_t flushes(FlushReason why) const { return coalescer_.counters().flushes[static_cast<std::size_t>(why)]; }
  std::uint64_t flushes() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : coalescer_.counters().flushes) sum += count;
    return sum;
  }
  Coalescer& coalescer() { return coalescer_; }

  std::vector<CoalescedPacket> left;
  std::size_t alone = 0;  // packets that left at once, and are not there

 private:
  Coalescer coalescer_;
  std::vector<std::unique_ptr<Bytes>> frames_;
  std::int64_t time_ns_ = 1'000'000'000;
  std::uint64_t passed_ = 0;
};

inline Bytes bytes_of(const CoalescedPacket& packet) {
  Bytes all;
  packet.bytes.for_each(
      [&all](const std::uint8_t* bytes, std::size_t size) { all.insert(all.end(), bytes, bytes + size); });
  return all;
}

}  // namespace warpmeter::test
