#include "stream/reassembly/reassembler.h"

#include <algorithm>
#include <utility>

#include "core/prefetch.h"
#include "core/segment.h"
#include "core/sequence_numbers.h"
#include "warpmeter/status.h"

namespace warpmeter::inline stream {
namespace {

// Of a shard, before those that are silent are looked for; so many slots are looked at for each that begins.
constexpr std::size_t kManyConnections = 4096;
constexpr int kLooks = 2;

// Connections between asking for one that will end, and its end.
constexpr std::size_t kEndsAhead = 2;

// Numbers begin high enough for what comes late to lie above 0.
constexpr std::int64_t kFirstWrap = std::int64_t{1} << 32;

std::int64_t start_of(const Stream& stream, const PayloadSegment& s) {
  if (!stream.state.has_segments()) return s.sequence + kFirstWrap;
  // A SYN that comes behind others is this connection's because it stands below them all, however far they reach.
  if (s.flags & kSyn && !stream.state.has_isn() && !stream.state.is_ambiguous()) return stream.lowest - 1;
  return unwrap(s.sequence, stream.highest);
}

const ReassemblerOptions& checked(const ReassemblerOptions& options) {
  if (options.spans && options.overlap != OverlapPolicy::first) {
    throw Error("blocks that point into frames are for the overlap policy \"first\": others change what they hold",
                ExitStatus::usage);
  }
  return options;
}

// That may wait, whatever gaps wait for: lists count bytes with 32 bits.
constexpr std::uint32_t kMostBuffered = 1 << 30;

// What is held may be more than what may be used, by a thirty-second part of that and what a few connections take.
constexpr std::uint64_t kHeldBeside = 16 << 10;

bool opens(const PayloadSegment& s) { return !(s.flags & kRst) && (s.flags & kSyn || s.payload_length > 0); }

// Does it acknowledge the peer's SYN, and perhaps data that was sent with it?
bool answers(const Stream& peer, const PayloadSegment& s) {
  if (!(s.flags & kAck)) return false;
  if (!peer.state.has_isn()) return true;
  const std::uint32_t beyond = s.acknowledged - on_wire(peer.isn) - 1;
  return beyond <= peer.highest - peer.isn - 1;
}

bool has_carried(const Stream& stream) { return stream.has_carried() || stream.state.has_fin(); }

void forget_start(Stream& stream) {
  stream.state.forget_start();
  stream.position = stream.next = 0;
}

// Does `s`, a SYN without RST of this side, belong to another incarnation of the connection's 5-tuple than the one that
// is known? One of several SYN+ACKs that answer the same SYN makes its direction ambiguous,
// which forgets where it began. Source: docs/streams.md.
bool is_tuple_reuse(Tcb& connection, StreamSide side, const PayloadSegment& s) {
  Stream& mine = stream_of(connection, side);
  const Stream& peer = connection.streams[1 - static_cast<int>(side)];
  const bool answer = answers(peer, s);
  if (mine.state.is_ambiguous()) return !answer;
  if (mine.state.has_isn()) {
    if (is_at(s.sequence, mine.isn)) return connection.is_reset || (mine.state.has_fin() && peer.state.has_fin());
    if (!answer || !peer.state.has_isn() || has_carried(mine)) return true;
    forget_start(mine);
    return false;
  }
  if (mine.state.has_segments()) return !is_at(s.sequence + 1, mine.lowest);
  return s.flags & kAck ? !answer : has_carried(peer);
}

// An RST with this number, of this direction: does the incarnation end by it? A number from before its first byte, or
// beyond its last, may answer an old, half-open connection.
bool resets(const Stream& stream, std::uint32_t sequence) {
  if (!stream.state.has_isn()) return true;
  const std::int64_t number = unwrap(sequence, stream.highest);
  return stream.isn < number && number <= stream.highest;
}

}  // namespace

Reassembler::Reassembler(const ReassemblerOptions& options, StreamConsumer& consumer, std::pmr::memory_resource& memory,
                         std::shared_ptr<SharedBuffers> shared)
    : silence_ns_(options.timeout_ns == 0 ? std::numeric_limits<std::int64_t>::max() : options.timeout_ns),
      block_size_(options.each_packet ? 1 : options.block_size),
      table_(memory),
      options_(checked(options)),
      most_held_(options.memory + options.memory / 32 + kHeldBeside),
      consumer_(consumer),
      queue_(options, consumer,
             shared ? std::move(shared) : std::make_shared<SharedBuffers>(options.block_size, memory)) {}

// What some connections have lies in memory of the lists.
Reassembler::~Reassembler() { table_.clear(); }

ReassemblyCounters Reassembler::counters() const {
  ReassemblyCounters counters = counters_;
  counters.blocks = queue_.blocks();
  return counters;
}

void Reassembler::take_any(const PayloadSegment& s, std::uint64_t number) {
  StreamSide side = StreamSide::client;
  Tcb* const c = table_.find(s, side);
  take_of(c, side, s, number);
}

// `c`: the connection of the segment's ends, or null. Returns the one that it then is of, which may have ended.
Tcb* Reassembler::take_of(Tcb* c, StreamSide& side, const PayloadSegment& s, std::uint64_t number) {
  c = still_known(c, s, number, side);
  if (c) {
    segment(*c, side, s, number);
  } else if (opens(s)) {
    c = &open(s, number, side);
    segment(*c, side, s, number);
  } else {
    ++counters_.stray_segments;
  }
  keep_to_memory();
  return c;
}

void Reassembler::keep_to_memory() {
  if (options_.memory != 0 && (used() > options_.memory || held() > most_held_)) make_room();
}

// The connection of a segment's ends, if it is that of the segment; one that this shows to have ended ends.
Tcb* Reassembler::still_known(Tcb* c, const PayloadSegment& s, std::uint64_t number, StreamSide side) {
  if (!c) return nullptr;
  if (is_idle(*c, s.time_ns)) {
    end(*c, StreamReason::timeout, 0);
    return nullptr;
  }
  const bool is_late = options_.by_rings && s.time_ns < c->opened_ns;  // behind what the other one answered
  if ((s.flags & (kSyn | kRst)) == kSyn && !is_late && is_tuple_reuse(*c, side, s)) {
    end(*c, StreamReason::reuse, number);
    return nullptr;
  }
  return c;
}

Tcb& Reassembler::open(const PayloadSegment& s, std::uint64_t number, StreamSide& side) {
  if (table_.live() >= kManyConnections) end_some_idle();
  const bool from_server = (s.flags & (kSyn | kAck)) == (kSyn | kAck);
  Tcb& c = table_.insert(s, from_server);
  c.is_of(s, side);
  c.progress = number;
  c.opened_packet = number & ((std::uint64_t{1} << 48) - 1);  // all that it has room for
  c.opened_in_frame = s.in_frame;
  c.opened_ns = c.last_ns = s.time_ns;
  ++counters_.connections;
  consumer_.opened(c);
  return c;
}

void Reassembler::segment(Tcb& c, StreamSide side, const PayloadSegment& s, std::uint64_t number) {
  Stream& stream = stream_of(c, side);
  ++stream.segments;
  c.last_ns = std::max(c.last_ns, s.time_ns);
  if (s.flags & kRst) {
    c.is_reset = c.is_reset || resets(stream, s.sequence);
    if (c.closed == StreamReason::none) c.closed = StreamReason::rst;
    queue_.submit(c, StreamReason::rst, number, false);
    return;
  }
  const std::int64_t start = start_of(stream, s);
  const bool syn = s.flags & kSyn, fin = s.flags & kFin;
  if (syn && stream.state.is_ambiguous() && s.payload_length == 0) return;
  const std::int64_t first = start + syn, end = first + s.payload_length;
  const bool in_order = !stream.state.has_segments() || first >= stream.highest;
  if (!stream.state.has_isn()) stream.lowest = stream.state.has_segments() ? std::min(stream.lowest, start) : start;
  stream.highest = std::max(stream.state.has_segments() ? stream.highest : start, end + fin);
  stream.state.see_segment();
  if (syn && !stream.state.has_isn() && !stream.state.is_ambiguous()) {
    if (!stream.state.has_position()) queue_.begin_at(c, side, first);
    stream.state.see_isn();
    stream.isn = start;
  }
  if (s.payload_length > 0) {
    ++stream.data_segments;
    const std::uint32_t buffered = c.buffered;
    queue_.put(c, side, first, s, in_order);
    if (c.buffered != buffered) {
      c.progress = number;
      if (queue_.has_spans()) note_span(c, number);
    }
  }
  if (fin && !stream.state.has_fin()) {
    c.has_fin = true;
    stream.state.see_fin();
    stream.fin = end;
  }
  submit_what_is_due(c, number);
}

void Reassembler::note_span(Tcb& c, std::uint64_t number) {
  if (c.spans_since != 0) return;
  c.spans_since = number;
  if (spanning_.size() >= most_spanning_) {  // nobody detaches from frames that stay
    std::erase_if(spanning_, [](const Spanning& s) { return s.connection->spans_since != s.since; });
    most_spanning_ = std::max(kFewSpanning, 2 * spanning_.size());
  }
  spanning_.push_back({&c, number});
}

void Reassembler::detach_from_frames(std::uint64_t number) {
  for (; !spanning_.empty() && spanning_.front().since <= number; spanning_.pop_front()) {
    const Spanning& oldest = spanning_.front();
    if (oldest.connection->spans_since == oldest.since) queue_.detach_from_frames(*oldest.connection);
  }
}

void Reassembler::submit_what_is_due(Tcb& c, std::uint64_t number) {
  if (c.buffered >= block_size_) {
    const bool wait = c.buffered < kMostBuffered;
    if (options_.each_packet) {
      queue_.deliver(c, number, wait);
    } else {
      c.is_large = true;
      queue_.submit(c, StreamReason::size, number, wait);
    }
  }
  if (!c.has_fin) return;
  for (const StreamSide side : {StreamSide::client, StreamSide::server}) {
    Stream& stream = stream_of(c, side);
    if (stream.state.is_finished() || !stream.state.has_fin() || !queue_.reaches_fin(c, side)) continue;
    stream.state.finish();
    queue_.submit(c, StreamReason::fin, number, true);
  }
  if (!c.streams[0].state.is_finished() || !c.streams[1].state.is_finished()) return;
  c.has_fin = false;
  if (c.closed == StreamReason::none) c.closed = StreamReason::fin;
}

void Reassembler::end(Tcb& c, StreamReason reason, std::uint64_t number) {
  queue_.submit(c, reason, number, false);
  ConnectionReport report;
  report.end = c.closed == StreamReason::none ? reason : c.closed;
  report.last_ns = c.last_ns;
  report.max_buffered = c.max_buffered;
  for (int i = 0; i < 2; ++i) {
    Stream& stream = c.streams[i];
    queue_.count_last_gap(stream);
    StreamDirection& direction = report.directions[i];
    direction.counters = stream.counters;
    direction.counters.segments = stream.segments;
    direction.counters.data_segments = stream.data_segments;
    direction.syn = stream.state.has_isn();
    direction.fin = stream.state.has_fin();
    direction.finished = stream.state.is_finished();
    if (stream.extras) direction.gaps = stream.extras->gaps;
    direction.complete = direction.syn && direction.fin && direction.gaps.empty();
  }
  consumer_.ended(c, report);
  queue_.drop(c);
  table_.erase(c);
}

void Reassembler::end_some_idle() {
  for (int i = 0; i < kLooks; ++i) {
    hand_ = hand_ + 1 < table_.slots() ? hand_ + 1 : 0;
    Tcb& c = table_.at(hand_);
    if (c.in_use() && is_idle(c, latest_ns_)) end(c, StreamReason::timeout, 0);
  }
}

bool Reassembler::end_idle(std::int64_t now_ns, std::size_t& looks) {
  for (; looks > 0 && idle_hand_ < table_.slots(); --looks) {
    Tcb& c = table_.at(idle_hand_++);
    if (c.in_use() && is_idle(c, now_ns)) end(c, StreamReason::timeout, 0);
  }
  const bool all = idle_hand_ >= table_.slots();
  if (all) idle_hand_ = 0;
  return all;
}

void Reassembler::end_all(std::int64_t latest_ns) {
  for (std::size_t i = 0; i < table_.slots(); ++i) {
    if (i + kEndsAhead < table_.slots()) table_.at(i + kEndsAhead).prefetch_all();
    Tcb& c = table_.at(i);
    if (c.in_use()) end(c, is_idle(c, latest_ns) ? StreamReason::timeout : StreamReason::end, 0);
  }
  spanning_.clear();
}

std::uint64_t Reassembler::used() const {
  constexpr std::uint64_t kIndexEntries = 4;  // a connection, at most
  return queue_.used() + table_.live() * (sizeof(Tcb) + kIndexEntries * sizeof(std::uint64_t));
}

void Reassembler::trim() {
  queue_.trim();
  table_.trim();
}

// What is used comes down to seven eighths: as rarely as that, looking at all connections costs little each time. Then
// what nobody uses goes; and where little of much is used, everywhere, more connections.
void Reassembler::make_room() {
  const std::uint64_t held_before = queue_.held_beside();
  by_progress_.clear();
  for (std::size_t i = 0; i < table_.slots(); ++i) {
    if (table_.at(i).in_use()) by_progress_.push_back(&table_.at(i));
  }
  std::ranges::sort(by_progress_, {}, [](const Tcb* c) { return c->progress; });
  std::size_t next = make_room_by_use();
  trim();
  while (held() > most_held_ && next < by_progress_.size()) {
    const std::size_t some = std::min(by_progress_.size(), next + by_progress_.size() / 8 + 1);
    for (; next < some; ++next) end_early(*by_progress_[next]);
    trim();
  }
  give_room_back(by_progress_);
  queue_.note_given_back(held_before);
}

// Returns how many of them have ended.
std::size_t Reassembler::make_room_by_use() {
  const std::uint64_t target = options_.memory - options_.memory / 8;
  for (Tcb* const c : by_progress_) {
    if (used() <= target) return 0;
    const std::uint64_t before = queue_.blocks();
    queue_.submit(*c, StreamReason::memory, 0, false);
    counters_.early_blocks += queue_.blocks() - before;
  }
  std::size_t ended = 0;
  for (; used() > target && ended < by_progress_.size(); ++ended) end_early(*by_progress_[ended]);
  return ended;
}

void Reassembler::end_early(Tcb& c) {
  ++counters_.early_connections;
  end(c, StreamReason::memory, 0);
}

}  // namespace warpmeter::inline stream
