// The rules of one connection, in the order in which they are told.
#include "oracle_connection.h"

#include <algorithm>
#include <utility>

namespace reference {
namespace {

constexpr int64_t all_numbers = int64_t{1} << 32;

}  // namespace

OracleConnection::OracleConnection(const OracleSegment& first, const StreamOptions& options) : options_(options) {
  result_.version = first.version;
  result_.ends = {first.source, first.destination};
  if (first.syn() && first.ack()) std::swap(result_.ends[client], result_.ends[server]);
  result_.opened_packet = first.number;
  result_.opened_in_frame = first.in_frame;
  result_.opened_time = result_.latest_time = first.time;
}

Side OracleConnection::side_of(const OracleSegment& segment) const {
  const bool is_client = segment.source == result_.ends[client] && segment.destination == result_.ends[server];
  return is_client ? client : server;
}

// Does it acknowledge what the peer has sent, of its SYN to the last?
bool OracleConnection::is_answer(const OracleSegment& syn, Side side) const {
  const Way& peer = ways_[1 - side];
  if (!syn.ack()) return false;
  if (!peer.syn) return true;
  const int64_t acknowledged = static_cast<uint32_t>(syn.acknowledgement - (peer.syn->field + 1));
  return acknowledged <= *peer.highest - (peer.syn->position + 1);  // who has sent 2^32 bytes is answered by any number
}

bool OracleConnection::is_foreign(const OracleSegment& syn) {
  const Side side = side_of(syn);
  Way& way = ways_[side];
  const Way& peer = ways_[1 - side];
  if (way.two_answers) return !is_answer(syn, side);
  if (way.syn) {
    if (way.syn->field == syn.sequence) return reset_ || (way.fin && peer.fin);
    const bool two_answers = peer.syn && is_answer(syn, side) && !way.carried() && !way.fin;
    if (!two_answers) return true;
    way.forget_start();
    return false;
  }
  if (way.lowest) return static_cast<uint32_t>(*way.lowest) != syn.sequence + 1;
  return syn.ack() ? !is_answer(syn, side) : peer.carried() || peer.fin;
}

// Nearest to the highest end; exactly half of all numbers away is below.
int64_t OracleConnection::unwrap(const Way& way, uint32_t sequence) const {
  if (!way.highest) return all_numbers + sequence;  // room below
  const int64_t above = static_cast<uint32_t>(sequence - static_cast<uint32_t>(*way.highest));
  return *way.highest + (above < all_numbers / 2 ? above : above - all_numbers);
}

void OracleConnection::take(const OracleSegment& segment) {
  const Side side = side_of(segment);
  Way& way = ways_[side];
  StreamCounts& counts = result_.ways[side].counts;
  counts.segments += 1;
  result_.latest_time = std::max(result_.latest_time, segment.time);
  if (segment.rst()) {
    const bool old = way.syn && unwrap(way, segment.sequence) <= way.syn->position;
    const bool not_sent = way.syn && unwrap(way, segment.sequence) > *way.highest;
    if (!old && !not_sent) reset_ = true;
    if (!closed_) closed_ = Reason::rst;
    submit(list_.size(), Reason::rst, segment.number);
    return;
  }
  if (segment.syn() && way.two_answers && segment.payload == 0) return;
  // A SYN that is met late is known by standing below all others.
  const bool late_syn = segment.syn() && !way.syn && !way.two_answers && way.lowest;
  const int64_t number = late_syn ? *way.lowest - 1 : unwrap(way, segment.sequence);
  const int64_t start = number + segment.syn();
  const bool behind_all = !way.highest || start >= *way.highest;
  way.lowest = std::min(way.lowest.value_or(number), number);
  way.highest = std::max(way.highest.value_or(number), start + segment.payload + segment.fin());
  if (segment.syn() && !way.syn && !way.two_answers) {
    way.syn = {segment.sequence, number};
    if (!way.position) way.position = way.origin = start;
  }
  if (segment.payload > 0) {
    counts.data_segments += 1;
    put(side, start, segment, behind_all);
  }
  if (segment.fin() && !way.fin) way.fin = start + segment.payload;
  result_.max_buffered = std::max(result_.max_buffered, buffered());
  submit_full_and_finished(segment.number);
}

void OracleConnection::put(Side side, int64_t start, const OracleSegment& segment, bool behind_all) {
  Way& way = ways_[side];
  StreamCounts& counts = result_.ways[side].counts;
  const int64_t captured_end = start + static_cast<int64_t>(segment.data.size());
  way.cut.insert(captured_end, start + segment.payload);
  counts.cut_bytes += start + segment.payload - captured_end;
  int64_t repeated = 0;
  bool any_new = false;
  const Bearer bearer{start, captured_end};
  std::vector<Entry> entries;
  for (int64_t number = start; number < captured_end; ++number) {
    const uint8_t byte = segment.data[static_cast<size_t>(number - start)];
    if (way.seen.count(number, number + 1) == 1) {
      repeated += 1;
      if (Entry* const entry = waiting_at(side, number)) {
        const auto at = static_cast<size_t>(number - entry->start);
        counts.conflicting_bytes += entry->bytes[at] != byte;
        if (wins(bearer, entry->bearers[at])) {
          entry->bytes[at] = byte;
          entry->bearers[at] = bearer;
        }
      }
      continue;
    }
    any_new = true;
    if (way.position && number < *way.position) {
      counts.late_bytes += 1;
      continue;
    }
    if (entries.empty() || entries.back().end() != number) entries.push_back({side, number, {}, {}});
    entries.back().bytes.push_back(byte);
    entries.back().bearers.push_back(bearer);
  }
  counts.repeated_bytes += repeated;
  counts.repeated_segments += repeated > 0 && !any_new;
  counts.out_of_order_segments += repeated == 0 && any_new && !behind_all;
  for (Entry& entry : entries) enter(std::move(entry));
}

// Only what still waits can be compared, and replaced.
OracleConnection::Entry* OracleConnection::waiting_at(Side side, int64_t number) {
  for (Entry& entry : list_)
    if (entry.side == side && entry.start <= number && number < entry.end()) return &entry;
  return nullptr;
}

bool OracleConnection::wins(const Bearer& newer, const Bearer& older) const {
  const bool begins_before = newer.start < older.start;
  const bool longer_from_the_same_start = newer.start == older.start && newer.end > older.end;
  switch (options_.overlap) {
    case Overlap::first: break;
    case Overlap::last: return true;
    case Overlap::bsd: return begins_before;
    case Overlap::linux_: return begins_before || longer_from_the_same_start;
    case Overlap::windows: return begins_before;
  }
  return false;
}

// Before the first of its direction that starts above it, or at the end.
void OracleConnection::enter(Entry entry) {
  ways_[entry.side].seen.insert(entry.start, entry.end());
  const auto place = std::find_if(list_.begin(), list_.end(), [&](const Entry& other) {
    return other.side == entry.side && other.start > entry.start;
  });
  list_.insert(place, std::move(entry));
}

int64_t OracleConnection::buffered() const {
  int64_t bytes = 0;
  for (const Entry& entry : list_) bytes += entry.end() - entry.start;
  return bytes;
}

std::vector<OracleConnection::Hole> OracleConnection::holes() const {
  std::vector<Hole> found;
  std::array<std::optional<int64_t>, 2> reached{ways_[client].position, ways_[server].position};
  for (size_t i = 0; i < list_.size(); ++i) {
    const Entry& entry = list_[i];
    const int64_t from = reached[entry.side].value_or(entry.start), bytes = entry.start - from;
    if (bytes != 0) found.push_back({i, bytes, ways_[entry.side].cut.count(from, entry.start) == bytes});
    reached[entry.side] = entry.end();
  }
  return found;
}

bool OracleConnection::reaches_fin(Side side) const {
  const Way& way = ways_[side];
  if (!way.fin) return false;
  for (const Hole& hole : holes())
    if (list_[hole.before].side == side && !hole.certain) return false;
  std::optional<int64_t> reached = way.position;
  for (const Entry& entry : list_)
    if (entry.side == side) reached = entry.end();
  if (!reached || *reached >= *way.fin) return true;
  return way.cut.count(*reached, *way.fin) == *way.fin - *reached;
}

void OracleConnection::submit_full_and_finished(int64_t packet) {
  if (buffered() >= options_.block_size) submit_waiting(Reason::size, packet);
  for (const Side side : {client, server}) {
    bool& finished = result_.ways[side].finished;
    if (finished || !reaches_fin(side)) continue;
    finished = true;
    submit_waiting(Reason::fin, packet);
  }
  if (result_.ways[client].finished && result_.ways[server].finished && !closed_) closed_ = Reason::fin;
}

// Up to the first gap that is worth waiting for.
void OracleConnection::submit_waiting(Reason reason, int64_t packet) {
  for (const Hole& hole : holes()) {
    const auto entries = static_cast<int64_t>(list_.size() - hole.before);
    if (!hole.certain && entries <= options_.gap_packets) return submit(hole.before, reason, packet);
  }
  submit(list_.size(), reason, packet);
}

void OracleConnection::submit(size_t entries, Reason reason, int64_t packet) {
  if (entries == 0) return;
  StreamBlock block{reason, packet, {}};
  for (size_t i = 0; i < entries; ++i) add_to(block, list_[i]);
  list_.erase(list_.begin(), list_.begin() + static_cast<std::ptrdiff_t>(entries));
  result_.blocks.push_back(std::move(block));
}

void OracleConnection::add_to(StreamBlock& block, const Entry& entry) {
  Way& way = ways_[entry.side];
  if (!way.position) way.position = way.origin = entry.start;
  const int64_t gap = entry.start - *way.position;
  if (gap != 0) give_up(entry.side, gap);
  if (block.parts.empty() || block.parts.back().side != entry.side || gap != 0)
    block.parts.push_back({entry.side, entry.start - *way.origin, gap, {}});
  auto& bytes = block.parts.back().bytes;
  bytes.insert(bytes.end(), entry.bytes.begin(), entry.bytes.end());
  way.position = entry.end();
  result_.ways[entry.side].counts.submitted_bytes += entry.end() - entry.start;
}

void OracleConnection::give_up(Side side, int64_t bytes) {
  result_.ways[side].gaps.emplace_back(*ways_[side].position - *ways_[side].origin, bytes);
  result_.ways[side].counts.gap_bytes += bytes;
}

StreamConnection OracleConnection::finish(Reason reason, int64_t packet) {
  submit(list_.size(), reason, packet);
  result_.end = closed_.value_or(reason);
  for (const Side side : {client, server}) {
    const Way& way = ways_[side];
    StreamWay& said = result_.ways[side];
    if (way.fin && way.position && *way.fin > *way.position) give_up(side, *way.fin - *way.position);
    said.syn = way.syn.has_value();
    said.fin = way.fin.has_value();
    said.complete = said.syn && said.fin && said.gaps.empty();
  }
  return std::move(result_);
}

}  // namespace reference
