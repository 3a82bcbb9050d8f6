#include "stream/coalescing/coalescer.h"

#include <algorithm>
#include <utility>

namespace warpmeter::inline stream {
namespace {

constexpr std::size_t kMostFreeLists = 64;

// Ahead of `next`: below 0 behind it.
std::int32_t ahead_of(std::uint32_t next, std::uint32_t sequence) { return static_cast<std::int32_t>(sequence - next); }

bool has_room(const WaitingList& list, const CoalescingPacket& packet) {
  return list.payload() + packet.payload <= Coalescer::kMostPayload &&
         list.options() + packet.options <= Coalescer::kMostOptions;
}

}  // namespace

CoalescerOptions with_memory(CoalescerOptions options, std::uint64_t memory) {
  constexpr std::uint64_t kDescriptorBytes = 256;  // with its share of the index
  const std::uint64_t eighth = memory / 8 / kShards;
  options.window = memory / 2;
  options.held = 3 * eighth;
  options.descriptors = std::max<std::size_t>(eighth / kDescriptorBytes, 1);
  return options;
}

void CoalescerCounters::add(const CoalescerCounters& other) {
  taken += other.taken;
  repeated += other.repeated;
  dropped += other.dropped;
  super_packets += other.super_packets;
  joined += other.joined;
  saved_bytes += other.saved_bytes;
  for (std::size_t i = 0; i < kFlushReasons; ++i) flushes[i] += other.flushes[i];
}

Coalescer::Coalescer(const CoalescerOptions& options)
    : options_(options), most_average_ns_(options.longest_wait_ns / std::int64_t{options.timeout_intervals}) {}

Outcome Coalescer::take(const CoalescingPacket& packet, std::uint64_t number, std::uint64_t passed,
                        std::vector<CoalescedPacket>& out) {
  DirectionDescriptor* d = table_.find(packet.key, packet.hash.hash);
  if (d && is_past(*d, passed)) flush(*d, FlushReason::memory, out);
  if (packet.reason != PassReason::none) {
    if (d) pass(*d, packet, out);
    return Outcome::passes;
  }
  if (d) arrived(*d, packet.frame.time_ns, out);
  else d = &begin(packet, out);
  if (is_repeated(*d, packet)) {
    ++counters_.repeated;
    if (drops(*d, packet)) {
      ++counters_.dropped;
      return Outcome::waits;
    }
    const bool is_far = ahead_of(d->next, packet.sequence) > static_cast<std::int32_t>(kMostAhead);
    flush(*d, FlushReason::repeated, out);
    if (is_far) d->has_next = false;
    return Outcome::passes;
  }
  if (!options_.sorts && d->has_next && packet.sequence != d->next) {
    flush(*d, FlushReason::out_of_order, out);
    d->has_next = false;
  }
  return join(*d, packet, number, passed, out);
}

// What waits leaves before the packet does, so that the direction stays in order. SYN, FIN and RST (`flags`) begin or
// end a connection: what is known of the direction is not of what comes behind them.
void Coalescer::pass(DirectionDescriptor& d, const CoalescingPacket& packet, std::vector<CoalescedPacket>& out) {
  flush(d, FlushReason::passing_packet, out);
  if (packet.reason == PassReason::flags) table_.erase(d);
}

// If the table is full, the least recently used descriptor leaves.
DirectionDescriptor& Coalescer::begin(const CoalescingPacket& packet, std::vector<CoalescedPacket>& out) {
  if (table_.size() >= options_.descriptors) {
    DirectionDescriptor& oldest = *table_.oldest();
    flush(oldest, FlushReason::memory, out);
    table_.erase(oldest);
  }
  DirectionDescriptor& d = table_.add(packet.key, packet.hash.hash);
  d.last_ns = packet.frame.time_ns;
  return d;
}

// timeout_intervals times a longer average than most_average_ns_ would overflow.
std::int64_t Coalescer::timeout_of(const DirectionDescriptor& d) const {
  const std::int64_t average = d.average_ns == DirectionDescriptor::kNoAverage ? options_.interval_ns : d.average_ns;
  return average > most_average_ns_ ? options_.longest_wait_ns : average * options_.timeout_intervals;
}

// Times lie within +-2^62: their differences fit.
void Coalescer::arrived(DirectionDescriptor& d, std::int64_t time_ns, std::vector<CoalescedPacket>& out) {
  table_.touch(d);
  const std::int64_t interval = time_ns - d.last_ns;
  if (d.list && options_.times_out && interval > timeout_of(d)) flush(d, FlushReason::timeout, out);
  const auto gap = static_cast<std::uint64_t>(std::max<std::int64_t>(interval, 0));
  d.average_ns = d.average_ns == DirectionDescriptor::kNoAverage
                     ? static_cast<std::int64_t>(gap)
                     : static_cast<std::int64_t>((static_cast<std::uint64_t>(d.average_ns) + gap) / 2);
  d.last_ns = std::max(d.last_ns, time_ns);
}

// True also of a packet so far ahead that the descriptor starts anew.
bool Coalescer::is_repeated(const DirectionDescriptor& d, const CoalescingPacket& packet) const {
  if (!d.has_next) return false;
  const std::int32_t ahead = ahead_of(d.next, packet.sequence);
  return ahead < 0 || ahead > static_cast<std::int32_t>(kMostAhead) || (d.list && d.list->overlaps(packet));
}

// Who has lost the first copy, or whose acknowledgement of it was lost, needs the repetition: so what was dropped once
// passes when it comes again, and so does what may fill a hole.
bool Coalescer::drops(DirectionDescriptor& d, const CoalescingPacket& packet) const {
  if (!options_.drops_repeats) return false;
  const std::uint32_t known = d.next - d.known_from, at = packet.sequence - d.known_from;
  if (at >= known || known - at < packet.payload) return false;
  const std::uint32_t end = packet.sequence + packet.payload;
  if (packet.sequence - d.dropped_from < d.dropped_to - d.dropped_from) return false;
  if (packet.sequence != d.dropped_to) d.dropped_from = packet.sequence;
  d.dropped_to = end;
  return true;
}

// What waits leaves if the packet cannot be joined to it.
void Coalescer::make_room(DirectionDescriptor& d, const CoalescingPacket& packet, std::vector<CoalescedPacket>& out) {
  if (!d.list) return;
  if (!d.list->agrees_with(packet)) flush(d, FlushReason::header, out);
  else if (!has_room(*d.list, packet)) flush(d, FlushReason::full, out);
  else if (options_.even && !d.list->is_even_with(packet)) flush(d, FlushReason::size, out);
}

// Why a list leaves whose latest packet this is, with so much payload; nothing: it does not.
std::optional<FlushReason> Coalescer::ends_list(const CoalescingPacket& packet, std::uint32_t payload) const {
  if (payload >= std::min(options_.threshold, kMostPayload)) return FlushReason::threshold;
  if (options_.push && packet.frame.data[packet.tcp() + 13] & kPsh) return FlushReason::push;
  return std::nullopt;
}

Outcome Coalescer::join(DirectionDescriptor& d, const CoalescingPacket& packet, std::uint64_t number,
                        std::uint64_t passed, std::vector<CoalescedPacket>& out) {
  make_room(d, packet, out);
  ++counters_.taken;
  if (!d.has_next) d.next = d.known_from = packet.sequence;
  d.has_next = true;
  const std::optional<FlushReason> end = ends_list(packet, (d.list ? d.list->payload() : 0) + packet.payload);
  if (!d.list && end) {
    leave_alone(d, packet, *end);
    return Outcome::alone;
  }
  if (!d.list && !free_lists_.empty()) {
    d.list = std::move(free_lists_.back());
    free_lists_.pop_back();
  }
  if (!d.list) d.list = std::make_unique<WaitingList>(options_.keeps_bytes, options_.even);
  held_ -= d.list->held();
  d.list->add(packet, number, passed);
  held_ += d.list->held();
  if (d.list->refers_from() == number) need_frames_.push_back({number, d.number});
  table_.waits(d);
  if (packet.sequence == d.next) d.next = d.list->follow(packet.sequence + packet.payload);
  if (end) flush(d, *end, out);
  else if (options_.even && d.list->has_short_end()) flush(d, FlushReason::size, out);
  while (held_ > options_.held) flush(*table_.oldest_waiting(), FlushReason::memory, out);
  return Outcome::waits;
}

// The packet leaves at once, and counts as a list of one packet.
void Coalescer::leave_alone(DirectionDescriptor& d, const CoalescingPacket& packet, FlushReason reason) {
  ++counters_.flushes[static_cast<std::size_t>(reason)];
  const std::uint32_t end = packet.sequence + packet.payload;
  if (packet.sequence == d.next) d.next = end;
  set_next(d, end);
}

// A list that ends at `next` has left. If it did not begin at d.next there is a hole, and nothing before is known.
void Coalescer::set_next(DirectionDescriptor& d, std::uint32_t next) {
  if (next != d.next) d.known_from = next;
  d.next = next;
  if (d.next - d.known_from > kMostAhead) d.known_from = d.next - kMostAhead;
}

void Coalescer::flush(DirectionDescriptor& d, FlushReason reason, std::vector<CoalescedPacket>& out) {
  if (!d.list) return;
  ++counters_.flushes[static_cast<std::size_t>(reason)];
  held_ -= d.list->held();
  std::uint32_t next;
  const WaitingList::Joined joined = d.list->flush(out, next);
  set_next(d, next);
  counters_.super_packets += joined.super_packets;
  counters_.joined += joined.packets;
  counters_.saved_bytes += joined.saved_bytes;
  table_.waits_no_more(d);
  if (free_lists_.size() < kMostFreeLists) free_lists_.push_back(std::move(d.list));
  d.list.reset();
}

bool Coalescer::is_past(const DirectionDescriptor& d, std::uint64_t passed) const {
  return d.list && passed - d.list->passed() > options_.window;
}

void Coalescer::go_on(std::uint64_t passed, std::vector<CoalescedPacket>& out) {
  for (DirectionDescriptor* d = table_.oldest_waiting(); d && is_past(*d, passed); d = table_.oldest_waiting()) {
    flush(*d, FlushReason::memory, out);
  }
}

void Coalescer::end(std::uint64_t passed, std::vector<CoalescedPacket>& out) {
  go_on(passed, out);
  while (DirectionDescriptor* const d = table_.oldest_waiting()) flush(*d, FlushReason::end, out);
}

// Null: there is none.
WaitingList* Coalescer::first_that_needs_frames() {
  for (; !need_frames_.empty(); need_frames_.pop_front()) {
    WaitingList* const list = table_.numbered(need_frames_.front().descriptor).list.get();
    if (list && list->refers_from() == need_frames_.front().from) return list;
  }
  return nullptr;
}

void Coalescer::keep_before(std::uint64_t number) {
  for (WaitingList* list = first_that_needs_frames(); list && list->refers_from() < number;
       list = first_that_needs_frames()) {
    list->keep();
  }
}

std::uint64_t Coalescer::refers_from() {
  const WaitingList* const list = first_that_needs_frames();
  return list ? list->refers_from() : CoalescedPacket::kNone;
}

void Coalescer::end_round(std::vector<CoalescedPacket>& out) {
  while (DirectionDescriptor* const d = table_.oldest_waiting()) flush(*d, FlushReason::round, out);
}

// Where the clock was put back, nobody knows for how long it has waited.
std::optional<std::int64_t> Coalescer::flush_late(std::int64_t now_ns, std::vector<CoalescedPacket>& out) {
  std::optional<std::int64_t> first;
  for (DirectionDescriptor* d = table_.oldest_waiting(); d;) {
    DirectionDescriptor* const newer = table_.newer_waiting(*d);
    const std::int64_t left = timeout_of(*d) - (now_ns - d->last_ns);
    if (left < 0 || now_ns < d->last_ns) flush(*d, FlushReason::timeout, out);
    else first = std::min(first.value_or(now_ns + left), now_ns + left);
    d = newer;
  }
  return first;
}

std::optional<std::uint64_t> Coalescer::first_open_place() {
  const DirectionDescriptor* const d = table_.oldest_waiting();
  if (!d) return std::nullopt;
  return d->list->place();
}

}  // namespace warpmeter::inline stream
