#include "generator.h"

#include <algorithm>

namespace traffic_gen {
namespace {

constexpr uint64_t kStartOfTime = 1'700'000'000 * kSecond;
constexpr uint64_t kNever = UINT64_MAX;

// With many connections none is in the cache; asked for together, its lines come together.
void prefetch(const Connection& connection) {
  constexpr size_t kLine = 64;
  const char* bytes = reinterpret_cast<const char*>(&connection);
  for (size_t at = 0; at < sizeof connection; at += kLine) __builtin_prefetch(bytes + at, 1);
}

}  // namespace

Generator::Generator(const Options& options, Output& output, Truth& truth)
    : options_(options),
      output_(output),
      truth_(truth),
      random_(options.seed),
      pace_(options.rate, options.flows),
      addresses_(options),
      frames_(options),
      tcp_(options, random_, pace_),
      datagrams_(options, random_, pace_),
      started_(options.first_connection),
      begin_(kStartOfTime + static_cast<uint64_t>(options.start * kSecond)),
      now_(begin_),
      connections_(options.flows),
      heap_(seat_everyone()) {}

// The first frames are spread over the mean gap, so that the rate is right from the start.
std::vector<Event> Generator::seat_everyone() {
  std::vector<Event> events(connections_.size());
  for (size_t i = 0; i < events.size(); i++) {
    start(connections_[i]);
    connections_[i].due = begin_ + static_cast<uint64_t>(random_.real() * static_cast<double>(pace_.mean_gap()));
    events[i] = {connections_[i].due, i};
  }
  return events;
}

uint64_t Generator::run(const volatile int* stop) {
  constexpr uint64_t kPaceInterval = 4096;
  output_.commit(frames_.file_header(output_.room()));
  while (frame_ != options_.packets || options_.packets == 0) {
    if (*stop || output_.state() != Output::State::kGood) break;
    const Event event = heap_.top();
    Connection& connection = connections_[event.slot];
    now_ = std::max(event.time, now_ + 1);
    take_turn(connection, options_.microseconds ? now_ - now_ % kMicrosecond : now_);
    heap_.postpone_top(std::min(connection.due, connection.copy.due));
    prefetch(connections_[heap_.top().slot]);
    if (frame_ % kPaceInterval == 0) pace_.observe(frame_, now_ - begin_);
  }
  for (const Connection& connection : connections_) truth_.add(connection);
  output_.flush();
  return frame_;
}

void Generator::take_turn(Connection& c, uint64_t time) {
  if (c.copy.due <= c.due) send_copy(c, time);
  else send_planned(c, time);
  if (!c.planned() && c.copy.due == kNever && c.due == kNever) succeed(c);
}

void Generator::send_planned(Connection& c, uint64_t time) {
  const Planned frame = c.plan[c.plan_next++];
  if (!c.begun) {
    c.begun = true;
    c.born = now_;
    count_traits(c);
  }
  Direction& d = c.directions[frame.side];
  if (!d.anonymous && ++d.id == 0) d.id = 1;  // 0 would be no identity
  const Stamp stamp{time, static_cast<uint32_t>(now_ >> 20), d.id, false};
  write(c, frame, stamp);
  account(d, c.tuple, frame, ip_length(c, frame), time);
  truth_.count(frame.kind);
  if (c.copy.due == kNever && random_.chance(options_.duplicate)) maybe_copy(c, frame, stamp, time);
  replan(c, now_);
}

void Generator::maybe_copy(Connection& c, const Planned& frame, const Stamp& stamp, uint64_t time) {
  c.copy.frame = frame;
  c.copy.frame.kind = random_.chance(0.3) ? Kind::kMirrorCopyRouted : Kind::kMirrorCopy;
  c.copy.due = now_ + pace_.copy_delay(random_);
  c.copy.time = time;
  c.copy.number = frame_;
  c.copy.stamp = stamp.stamp;
  c.copy.id = stamp.id;
}

void Generator::send_copy(Connection& c, uint64_t time) {
  const MirrorCopy copy = c.copy;
  c.copy.due = kNever;
  // Where the capture is too crowded to keep the promise the copy is lost on its way.
  if (time - copy.time > kCopyGap || frame_ + 1 - copy.number >= kCopyWindow) return;
  write(c, copy.frame, {time, copy.stamp, copy.id, copy.frame.kind == Kind::kMirrorCopyRouted});
  account_copy(c.directions[copy.frame.side], ip_length(c, copy.frame), time);
  truth_.count(copy.frame.kind);
  if (copy.frame.kind == Kind::kMirrorCopyAgain || !random_.chance(0.1)) return;
  c.copy = copy;
  c.copy.frame.kind = Kind::kMirrorCopyAgain;
  c.copy.due = now_ + pace_.copy_delay(random_);
  c.copy.time = time;
  c.copy.number = frame_;
}

// Sets when the connection's next planned frame is due: never, if it is over.
void Generator::replan(Connection& c, uint64_t time) {
  if (!c.planned()) {
    c.plan_next = c.plan_end = 0;
    if (c.phase != Phase::kOver) {
      if (c.tuple.protocol == kTcp) tcp_.plan(c, time);
      else datagrams_.plan(c, time);
    }
  }
  c.due = c.planned() ? time + c.plan[c.plan_next].delay : kNever;
}

// A connection of a five-tuple of its own.
void Generator::start(Connection& c) {
  constexpr double kNoIdShare = 0.15;
  c = Connection{};
  c.number = started_++;
  c.tuple = addresses_.assign(c.number, random_);
  for (Direction& d : c.directions) {
    d.anonymous = c.tuple.version == 6 || random_.chance(kNoIdShare);
    d.id = d.anonymous ? 0 : static_cast<uint16_t>(random_.bits());
  }
  if (c.tuple.protocol == kTcp) tcp_.begin(c);
  else datagrams_.begin(c);
  replan(c, now_);
}

// Another connection of the same five-tuple. Its hosts count their packets on, so none equals one of the old.
void Generator::reuse(Connection& c, const Connection& old) {
  c = Connection{};
  c.number = old.number;
  c.tuple = old.tuple;
  c.reused = true;
  for (const Side side : {kClient, kServer}) {
    c.directions[side].anonymous = old.directions[side].anonymous;
    c.directions[side].id = old.directions[side].id;
    c.directions[side].window_turn = old.directions[side].window_turn;
    c.directions[side].isn = old.directions[side].isn;
  }
  tcp_.begin(c);
  replan(c, now_);
}

// The connection is over, its seat is free.
void Generator::succeed(Connection& c) {
  truth_.add(c);
  if (c.tuple.protocol == kTcp && random_.chance(options_.port_reuse)) reuse(c, Connection(c));
  else start(c);
}

void Generator::count_traits(const Connection& c) {
  const uint8_t protocol = c.tuple.protocol;
  truth_.count(protocol == kTcp ? Trait::kTcp : protocol == kUdp ? Trait::kUdp : Trait::kIcmp);
  truth_.count(c.tuple.version == 4 ? Trait::kIpv4 : Trait::kIpv6);
  truth_.count(Trait::kVlan, c.tuple.tagged);
  for (const Direction& d : c.directions) truth_.count(Trait::kAnonymousDirection, d.anonymous);
  truth_.count(Trait::kPortReuse, c.reused);
  truth_.count(Trait::kMidStream, c.shape == Shape::kMidStream);
  truth_.count(Trait::kScan, c.shape == Shape::kScan);
  truth_.count(Trait::kRefused, c.shape == Shape::kRefused);
}

void Generator::write(const Connection& c, const Planned& frame, const Stamp& stamp) {
  output_.commit(frames_.record(output_.room(), c, frame, stamp));
  frame_++;
}

}  // namespace traffic_gen
