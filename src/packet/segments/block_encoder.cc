#include "packet/segments/block_encoder.h"

#include <algorithm>
#include <string>
#include <utility>

#include "warpmeter/status.h"

namespace warpmeter::inline packet {

std::uint32_t ConversationTable::add(const FlowKey& key, std::uint64_t hash, std::size_t at) {
  const FlowKey back = swapped(key);
  const std::uint32_t other = slots_[find(back, hash_flow(back, hash_seed_).hash)].flow;
  std::uint32_t flow = other ^ 1;
  if (other == kNone) {
    flow = static_cast<std::uint32_t>(flows_.size());
    flows_.push_back({key, {}});
    flows_.push_back({back, {}});
  }
  slots_[at] = {hash, flow};
  if (++used_ > slots_.size() / 4 * 3) grow();
  return flow;
}

void ConversationTable::grow() {
  std::vector<Slot> old(2 * slots_.size());
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.flow != kNone) slots_[find(flows_[slot.flow].key, slot.hash)] = slot;
  }
}

// Not larger than the last block needed.
void ConversationTable::clear() {
  if (slots_.size() > kFewest && used_ < slots_.size() / 8) slots_.resize(slots_.size() / 2);
  std::fill(slots_.begin(), slots_.end(), Slot{});
  used_ = 0;
  flows_.clear();
}

namespace {

constexpr std::size_t kFewestPlaces = 1024;
constexpr std::int64_t kMicrosecond = 1'000, kMillisecond = 1'000'000;

}  // namespace

void BlockEncoder::make_room() {
  if (counts_.segments >= kMostRowSegments) {
    throw Error("more than " + std::to_string(kMostRowSegments) +
                " packets in one row of a segment file: its frames are " + "A-MSDUs of too many packets");
  }
  const std::size_t places = std::max(kFewestPlaces, 2 * columns_.flow.size());
  each_column(columns_, {}, [places](auto& column, std::size_t, Planes) { column.resize(places); });
}

void BlockEncoder::add(const FlowKey& key, std::uint64_t hash, const Segment& s, std::uint32_t frame, bool behind) {
  if (counts_.segments == columns_.flow.size()) make_room();
  const std::size_t at = counts_.segments++;
  if (at == 0) first_ns_ = time_ns_ = s.time_ns;
  // From -2^62 to 2^62 it is 2^63, which wraps, and does so again where it is added.
  const auto apart =
      static_cast<std::int64_t>(static_cast<std::uint64_t>(s.time_ns) - static_cast<std::uint64_t>(time_ns_));
  time_ns_ = s.time_ns;
  by_microsecond_ = by_microsecond_ && apart % kMicrosecond == 0;
  by_millisecond_ = by_millisecond_ && apart % kMillisecond == 0;
  const std::uint32_t flow = conversations_.number_of(key, hash);
  columns_.frame[at] = frame - next_frame_;  // of the same frame: kSameFrame
  next_frame_ = frame + 1;
  columns_.time[at] = static_cast<std::uint64_t>(apart);
  columns_.flow[at] = flow;
  ForetoldSegment& foretold = conversations_.foretold(flow);
  columns_.kind[at] = static_cast<std::uint8_t>((s.kind ^ foretold.kind) | (behind ? kBehindInFrame : 0));
  foretold.kind = s.kind;
  if (is_tcp(s)) add_tcp(s, foretold);
  else add_other(s);
}

void BlockEncoder::add_tcp(const Segment& s, ForetoldSegment& foretold) {
  TcpColumns& to = foretold.known ? columns_.next : columns_.first;
  const std::size_t at = foretold.known ? counts_.next++ : counts_.first++;
  const TcpIdentity identity(s.identity_a, s.identity_b);
  const ForetoldSegment now = after(s, identity);
  to.sequence[at] = zigzag(s.sequence - foretold.sequence);
  to.acknowledgement[at] = zigzag(identity.acknowledgement - foretold.acknowledgement);
  to.length[at] = zigzag(s.length - foretold.length);
  to.window[at] = zigzag(static_cast<std::uint16_t>(s.window - foretold.window));
  to.id[at] = zigzag(static_cast<std::uint16_t>(identity.id - foretold.id));
  to.ip_headers[at] = now.ip_headers ^ foretold.ip_headers;
  to.flags[at] = s.flags ^ foretold.flags;
  to.offset[at] = identity.offset ^ foretold.offset;
  to.checksum[at] = identity.checksum;
  to.urgent[at] = identity.urgent;
  to.options[at] = identity.options;
  foretold = now;
}

void BlockEncoder::add_other(const Segment& s) {
  OtherColumns& to = columns_.other;
  const std::size_t at = counts_.others() - 1;
  to.identity_a[at] = s.identity_a;
  to.identity_b[at] = s.identity_b;
  to.sequence[at] = s.sequence;
  to.length[at] = s.length;
  to.payload_length[at] = s.payload_length;
  to.window[at] = s.window;
  to.flags[at] = s.flags;
}

// Differences become those in units, which it returns, as zigzag.
std::uint32_t BlockEncoder::divide_times() {
  const auto divide = [this](auto unit) {
    for (std::size_t i = 0; i < counts_.segments; ++i) {
      columns_.time[i] = zigzag(static_cast<std::uint64_t>(static_cast<std::int64_t>(columns_.time[i]) / unit()));
    }
    return static_cast<std::uint32_t>(unit());
  };
  if (by_millisecond_) return divide([] { return kMillisecond; });  // the compiler knows them
  if (by_microsecond_) return divide([] { return kMicrosecond; });
  return divide([] { return std::int64_t{1}; });
}

BlockEncoder::Block BlockEncoder::encode(std::uint64_t row) {
  counts_.conversations = conversations_.size();
  for (int word = 0; word < kFlowKeyWords; ++word) {
    columns_.key[word].resize(counts_.conversations);
    for (std::size_t i = 0; i < counts_.conversations; ++i) {
      columns_.key[word][i] = key_word(conversations_.key(i), word);
    }
  }
  Block block;
  block.header.time_unit = divide_times();
  planes_.clear();
  each_column(columns_, counts_, [this](const auto& column, std::size_t values, Planes how) {
    planes_.write(std::span(column.data(), values), how);
  });
  block.payload = planes_.finish();
  block.header.payload_bytes = block.payload.size();
  block.header.row = row;
  block.header.first_ns = first_ns_;
  block.header.segments = static_cast<std::uint32_t>(counts_.segments);
  block.header.first_tcp = static_cast<std::uint32_t>(counts_.first);
  block.header.next_tcp = static_cast<std::uint32_t>(counts_.next);
  block.header.conversations = static_cast<std::uint32_t>(counts_.conversations);
  block.header.checksum = checksum_of(block.header, block.payload.data());
  clear();
  return block;
}

void BlockEncoder::clear() {
  conversations_.clear();
  counts_ = {};
  next_frame_ = 0;
  by_millisecond_ = by_microsecond_ = true;
}

}  // namespace warpmeter::inline packet
