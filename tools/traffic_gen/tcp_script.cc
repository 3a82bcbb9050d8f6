#include "tcp_script.h"

#include <algorithm>

#include "frame_bytes.h"
#include "tcp_faults.h"

namespace traffic_gen {
namespace {

// Far enough below the meter's active timeout that what is planned then, and the goodbye, still fit.
constexpr uint64_t kLongestLife = 1300 * kSecond;
constexpr uint8_t kMostUnacked = 3;
constexpr uint32_t kNewIsnDistance = 1 << 16;
// There is one handshake and one goodbye for many data segments: more often in trouble, they show all kinds of it.
constexpr double kShowing = 4;
// Frames of a handshake and a goodbye, which carry no data; with fewer there is only a part of a connection.
constexpr double kBareFrames = 6;
constexpr double kFramesPerSegment = 1.5;  // one acknowledgement for two

}  // namespace

void TcpScript::begin(Connection& c) {
  c.timestamps = random_.chance(0.5);
  const uint32_t overhead = tcp_overhead(c);
  const uint32_t most = std::max<uint32_t>(options_.frame_size, 1514);
  c.typical = static_cast<uint16_t>(options_.frame_size > overhead + 8 ? options_.frame_size - overhead : 8);
  c.largest = static_cast<uint16_t>(std::min<uint32_t>(most - overhead, c.typical * 3u / 2));
  c.talker = random_.chance(0.8) ? kServer : kClient;
  choose_numbers(c);
  choose_shape(c);
}

void TcpScript::choose_numbers(Connection& c) {
  for (Direction& d : c.directions) {
    const uint32_t old_isn = d.isn;
    d.isn = random_.chance(0.15) ? 0u - static_cast<uint32_t>(random_.between(1, 20'000))  // wraps soon
                                 : static_cast<uint32_t>(random_.bits());
    // Else the SYN could pass for the old connection's own: again, or late before the first number met of it.
    if (c.reused && d.isn - old_isn < kNewIsnDistance) d.isn += kNewIsnDistance;
    d.window = static_cast<uint16_t>(random_.between(512, 65'000));
  }
}

void TcpScript::choose_shape(Connection& c) {
  const double frames = std::max(1.0, random_.pareto(options_.mean_packets));
  const bool part = frames < kBareFrames;
  c.remaining = static_cast<uint64_t>(std::max(1.0, (part ? frames : frames - kBareFrames) / kFramesPerSegment));
  // On a used five-tuple only the handshake tells that this is another connection.
  if (!c.reused && random_.chance(part ? 0.5 : options_.mid_stream)) c.shape = Shape::kMidStream;
  else if (!c.reused && frames < 3) c.shape = random_.chance(0.5) ? Shape::kScan : Shape::kRefused;
  const double draw = random_.real();
  if (draw < options_.reset) c.ending = Ending::kReset;
  else c.ending = part || draw > 0.95 ? Ending::kAbandoned : Ending::kGoodbye;
}

void TcpScript::plan(Connection& c, uint64_t now) {
  TcpPen pen(c, random_, pace_);
  const bool old = c.begun && now - c.born > kLongestLife;
  if (c.phase == Phase::kTalking && (c.remaining == 0 || old)) c.phase = Phase::kClosing;
  if (c.phase == Phase::kOpening) open(pen);
  if (c.plan_end == 0 && c.phase == Phase::kTalking) talk(pen);
  if (c.phase == Phase::kClosing) close(pen);
}

void TcpScript::open(TcpPen& pen) {
  Connection& c = pen.connection();
  c.phase = Phase::kTalking;
  switch (c.shape) {
    case Shape::kWhole: return shake_hands(pen);
    case Shape::kMidStream:
      for (Direction& d : c.directions) d.next = d.top = d.ackable = 1;
      return;
    case Shape::kScan:
    case Shape::kRefused:
      pen.syn(kClient);
      if (c.shape == Shape::kRefused) pen.reset(kServer);
      c.phase = Phase::kOver;
  }
}

void TcpScript::shake_hands(TcpPen& pen) {
  if (!pen.connection().reused && random_.chance(kShowing * options_.reorder)) {
    const Span number = pen.claim(kClient, 1);
    pen.direction(kClient).ackable = pen.direction(kClient).next;
    pen.syn(kServer);
    pen.ack(kClient);
    pen.late_syn(kClient, number);
    return;
  }
  const bool data = random_.chance(0.03);
  Planned& syn = pen.syn(kClient, data ? pen.half() : 0);
  if (data) syn.kind = Kind::kSynData;
  if (random_.chance(kShowing * options_.retransmit)) pen.twin(syn, Kind::kSynAgain);
  Planned& answer = pen.syn(kServer);
  if (random_.chance(kShowing * options_.retransmit)) pen.twin(answer, Kind::kSynAgain);
  pen.ack(kClient);
}

void TcpScript::talk(TcpPen& pen) {
  Connection& c = pen.connection();
  const Side side = random_.chance(0.85) ? c.talker : other(c.talker);
  uint64_t used = plant_any(pen, side, options_);
  c.unacked = static_cast<uint8_t>(c.unacked + 1);
  if (used == 0) {
    pen.first(side, pen.claim(side));
    used = 1;
  }
  // A planted story always ends with an acknowledgement, so that no direction is silent for long.
  if (c.plan_end > 1 || c.unacked >= kMostUnacked || random_.chance(0.3)) {
    pen.ack(other(side));
    c.unacked = 0;
  }
  c.remaining -= std::min(c.remaining, used);
}

void TcpScript::close(TcpPen& pen) {
  Connection& c = pen.connection();
  c.phase = Phase::kOver;
  if (c.ending == Ending::kGoodbye) say_goodbye(pen);
  if (c.ending != Ending::kReset) return;
  const Side side = random_.chance(0.5) ? kClient : kServer;
  const bool speaks = random_.chance(0.1);  // some stacks say why
  const Planned& reset = pen.reset(side, speaks ? pen.half() : 0);
  if (random_.chance(0.2)) pen.twin(reset, Kind::kReset);
}

void TcpScript::say_goodbye(TcpPen& pen) {
  const Side side = random_.chance(0.7) ? pen.connection().talker : other(pen.connection().talker);
  Planned& fin = pen.fin(side, random_.chance(0.3) ? pen.half() : 0);
  if (random_.chance(kShowing * options_.zero_window)) {
    fin.window = 0;
    fin.kind = Kind::kZeroWindow;
    pen.distinct(fin);
  }
  if (random_.chance(kShowing * options_.retransmit)) pen.twin(fin, Kind::kFinAgain);
  if (random_.chance(0.5)) pen.ack(other(side));
  pen.fin(other(side));
  pen.ack(side);
}

}  // namespace traffic_gen
