// TCP packets, joined to super-packets. Input: how (1 byte: the threshold, PSH, and how little memory there is), then 6
// bytes a packet:
//
//   what      the direction, IPv6, a VLAN tag, time stamps, PSH, no ACK, a step in time, an end of a batch before it
//   place     from the direction's first number, signed, 16 bits, little endian; large ones are far away
//   length    of the payload, twelve times as much
//   spoilt    bits that are wrong in one byte of the packet
//   where     which one
//
// What has to hold: all that the oracle says.
#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "fuzz/must.h"
#include "reference/coalesce_oracle.h"
#include "stream/coalescing/coalescer.h"
#include "support/packets.h"
#include "warpmeter/link_type.h"

namespace warpmeter::fuzz {
namespace {

constexpr std::size_t kPacketBytes = 6, kMostPackets = 200;
constexpr std::int64_t kLimits[] = {std::numeric_limits<std::int64_t>::max(), 20'000, 2'000, 0};

struct Input {
  std::vector<test::Bytes> frames;
  std::vector<std::int64_t> times;
  std::vector<bool> ends;  // a batch does before it
};

test::Bytes packet_of(const std::uint8_t* p) {
  const bool ip6 = p[0] & 2, tagged = p[0] & 4, stamps = p[0] & 8;
  const auto place = static_cast<std::int16_t>(p[1] | p[2] << 8);
  const std::uint32_t far =
      place % 7 == 6 ? 40u * static_cast<std::uint32_t>(place) : static_cast<std::uint32_t>(place);
  test::Bytes rest(stamps ? 12u : 0u, 1);
  if (stamps) std::copy_n(test::Bytes{1, 1, 8, 10}.begin(), 4, rest.begin());
  rest.resize(rest.size() + 12u * p[3], p[1]);
  const test::Bytes segment = test::tcp({.source_port = static_cast<std::uint16_t>(p[0] & 1),
                                         .sequence = far,
                                         .acknowledgement = p[2],
                                         .header_words = static_cast<std::uint8_t>(stamps ? 8 : 5),
                                         .flags = static_cast<std::uint8_t>((p[0] & 16 ? 8 : 0) | (p[0] & 32 ? 0 : 16)),
                                         .window = p[3]},
                                        rest);
  const test::Bytes ip = ip6 ? test::ip6({}, segment) : test::ip4({.fragment = 0x4000}, segment);
  const std::uint16_t type = ip6 ? 0x86dd : 0x0800;
  test::Bytes frame =
      tagged ? test::ethernet(0x8100, test::operator+(test::vlan_tag(7, type), ip)) : test::ethernet(type, ip);
  frame[p[5] % frame.size()] ^= p[4];
  return frame;
}

Input input_of(const std::uint8_t* data, std::size_t size) {
  Input input;
  std::int64_t time = 1'000'000'000;
  for (std::size_t at = 1; at + kPacketBytes <= size && input.frames.size() < kMostPackets; at += kPacketBytes) {
    time += data[at] & 64 ? 50'000'000 : 1'000;
    input.frames.push_back(packet_of(data + at));
    input.times.push_back(time);
    input.ends.push_back(data[at] & 128);
  }
  return input;
}

std::vector<reference::PlacedPacket> coalesced(const Input& input, const CoalescerOptions& options) {
  Coalescer coalescer(options);
  std::vector<CoalescedPacket> left;
  std::vector<reference::PlacedPacket> all;
  std::uint64_t passed = 0;
  for (std::size_t i = 0; i < input.frames.size(); ++i) {
    const test::Bytes& bytes = input.frames[i];
    const auto size = static_cast<std::uint32_t>(bytes.size());
    if (input.ends[i]) coalescer.go_on(passed, left);
    CoalescingPacket packet;
    look_at({bytes.data(), input.times[i], size, size, kLinkEthernet}, false, HashSeed(1), packet);
    const Outcome outcome = packet.has_key ? coalescer.take(packet, i + 1, passed, left) : Outcome::passes;
    if (outcome != Outcome::waits) {
      const std::uint32_t kept = outcome == Outcome::alone ? packet.size : size;
      const test::Bytes whole(bytes.begin(), bytes.begin() + kept);
      all.push_back({static_cast<std::int64_t>(i + 1), 0, input.times[i], whole, kept, 1});
    }
    passed += size + 16;
  }
  coalescer.end(passed, left);
  for (const CoalescedPacket& packet : left) {
    reference::PlacedPacket placed{
        static_cast<std::int64_t>(packet.place), packet.order, packet.time_ns, {}, packet.bytes.size(), packet.joined};
    packet.bytes.for_each([&placed](const std::uint8_t* bytes, std::size_t size) {
      placed.bytes.insert(placed.bytes.end(), bytes, bytes + size);
    });
    all.push_back(std::move(placed));
  }
  std::ranges::sort(all, {}, &reference::PlacedPacket::in_order);
  return all;
}

}  // namespace
}  // namespace warpmeter::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpmeter::fuzz;
  if (size == 0) return 0;
  reference::CoalesceRules rules;
  rules.verify = false;
  rules.threshold = data[0] & 1 ? 2'000 : 65'000;
  rules.push = data[0] & 2;
  rules.window = kLimits[data[0] >> 2 & 3];
  rules.held = kLimits[data[0] >> 4 & 3];
  rules.descriptors = data[0] & 64 ? 1 : 100;
  const Input input = input_of(data, size);
  reference::CoalesceOracle oracle(rules);
  for (std::size_t i = 0; i < input.frames.size(); ++i) {
    const auto& bytes = input.frames[i];
    oracle.take(
        {input.times[i], warpmeter::kLinkEthernet, static_cast<std::int64_t>(bytes.size()), reference::Bytes(bytes)});
  }
  const auto got = coalesced(input, {.threshold = static_cast<std::uint32_t>(rules.threshold),
                                     .push = rules.push,
                                     .window = static_cast<std::uint64_t>(rules.window),
                                     .held = static_cast<std::uint64_t>(rules.held),
                                     .descriptors = rules.descriptors});
  must(got == oracle.finish());
  return 0;
}
