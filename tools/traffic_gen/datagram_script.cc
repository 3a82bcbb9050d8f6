#include "datagram_script.h"

#include <algorithm>

namespace traffic_gen {
namespace {

constexpr uint64_t kLongestLife = 1300 * kSecond;  // as for TCP
constexpr uint16_t kEchoPayload = 56;              // what ping sends
constexpr uint32_t kHeaders = 14 + 20 + 8;

}  // namespace

void DatagramScript::begin(Connection& c) {
  c.remaining = static_cast<uint64_t>(std::max(1.0, random_.pareto(options_.mean_packets)));
  c.typical = static_cast<uint16_t>(std::max<uint32_t>(options_.frame_size - kHeaders, 24));
}

void DatagramScript::plan(Connection& c, uint64_t now) {
  if (c.remaining == 0 || (c.begun && now - c.born > kLongestLife)) {
    c.phase = Phase::kOver;
    return;
  }
  if (c.tuple.protocol == kUdp) {
    send(c, kClient, static_cast<uint16_t>(random_.between(16, std::min<uint64_t>(c.typical, 300))));
    for (uint64_t n = random_.between(1, 3); n > 0 && c.remaining > 0; n--)
      send(c, kServer, static_cast<uint16_t>(random_.between(c.typical / 2, c.typical)));
  } else {
    send(c, kClient, kEchoPayload);
    if (c.remaining > 0) send(c, kServer, kEchoPayload);
  }
}

void DatagramScript::send(Connection& c, Side side, uint16_t length) {
  Planned& p = c.plan[c.plan_end++];
  p = Planned{};
  p.delay = pace_.gap(random_);
  p.offset = c.directions[side].next++;
  p.length = length;
  p.side = side;
  c.remaining--;
}

}  // namespace traffic_gen
