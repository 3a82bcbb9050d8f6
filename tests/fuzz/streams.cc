// TCP segments, put together to streams. Input: how (1 byte: block size, gap packets, timeout, spans, little memory;
// the oracle is asked where bit 5 is 0; bits 6 and 7: the overlap policy), then 6 bytes a segment:
//
//   what      FIN, SYN, RST, ACK in bits 0 to 3; the sender, the connection, other bytes than at first, a step in time
//   place     from the sender's first number, signed, 16 bits, little endian; large ones are far away
//   length    of the payload
//   more      bytes of it that were not captured, or what is acknowledged beyond the peer's SYN
//   how       eight times as long, whether all was captured, the size of the step in time, what `more` is; all bits:
//   from
//             an end to itself
//
// What has to hold: what is said in include/warpmeter/tcp_stream.h, no byte is lost, lists stay small; and with no
// limit of memory, where there is little payload, all that the oracle says.
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "core/byte_order.h"
#include "fuzz/must.h"
#include "reference/stream_oracle.h"
#include "support/stream_segments.h"

namespace warpmeter::fuzz {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::size_t kSegmentBytes = 6;
constexpr std::size_t kMostSegments = 400;
constexpr std::uint32_t kLongest = 8 * 255;
constexpr OverlapPolicy kPolicies[] = {OverlapPolicy::first, OverlapPolicy::last, OverlapPolicy::bsd,
                                       OverlapPolicy::linux_};
constexpr reference::Overlap kOraclePolicies[] = {reference::Overlap::first, reference::Overlap::last,
                                                  reference::Overlap::bsd, reference::Overlap::linux_};
constexpr std::uint64_t kCompared = 6 << 10;  // bytes of payload, which the oracle takes one by one

// What senders say, by the lowest bits of the number, and twice: other bytes when it is said otherwise.
class Text {
 public:
  Text() {
    std::uint32_t state = 1;
    for (std::uint8_t& byte : bytes_) byte = static_cast<std::uint8_t>((state = state * 1664525 + 1013904223) >> 24);
  }
  const std::uint8_t* at(std::uint32_t number, bool otherwise) const {
    return bytes_.data() + number % kNumbers + (otherwise ? kOther : 0);
  }

 private:
  static constexpr std::uint32_t kNumbers = 1 << 14, kOther = 1 << 13;
  std::array<std::uint8_t, kNumbers + kOther + kLongest + 1> bytes_;
};

// One direction of the input's connections, over all incarnations.
struct Sum {
  std::uint64_t payload = 0;        // that was captured, of segments without RST
  std::uint64_t accounted_for = 0;  // submitted, repeated and late
};

reference::Reason reason_of(StreamReason reason) {
  must(reason != StreamReason::none);
  return static_cast<reference::Reason>(reason);
}
static_assert(static_cast<int>(reference::Reason::end) == static_cast<int>(StreamReason::end));

// Checks what it is given, and keeps it for the oracle.
class Checker : public StreamConsumer {
 public:
  void begin(bool keep, std::uint64_t most_buffered) {
    keep_ = keep;
    most_buffered_ = most_buffered;
    live_ = 0;
    for (Sum& sum : sums_) sum = {};
  }
  // What a run keeps beyond its end, libFuzzer takes for a leak, and runs the input again.
  void forget() {
    connections_.clear();
    ends_.clear();
  }

  void opened(TcpConnection& connection) override {
    ++live_;
    connection.tag = connections_.size();
    ends_.emplace_back();
    connections_.emplace_back();
  }

  void take(TcpConnection& connection, const StreamBlock& block) override {
    must(!block.sub_blocks.empty() && block.reason != StreamReason::none);
    std::array<std::uint64_t, 2>& ends = ends_[connection.tag];
    reference::StreamBlock* kept = nullptr;
    if (keep_) kept = &connections_[connection.tag].blocks.emplace_back();
    if (kept) *kept = {reason_of(block.reason), static_cast<std::int64_t>(block.packet), {}};
    for (const SubBlock& s : block.sub_blocks) {
      std::uint64_t& end = ends[static_cast<int>(s.side)];
      must(s.length > 0 && s.offset == end + s.gap && s.offset >= end);
      end = s.offset + s.length;
      std::vector<std::uint8_t> bytes;
      std::uint64_t length = 0;
      for (const StreamPiece& piece : s.pieces) {
        length += piece.size();
        if (kept) bytes.insert(bytes.end(), piece.begin(), piece.end());
      }
      must(length == s.length);
      if (kept) {
        kept->parts.push_back({static_cast<int>(s.side), static_cast<std::int64_t>(s.offset),
                               static_cast<std::int64_t>(s.gap), std::move(bytes)});
      }
    }
  }

  void ended(TcpConnection& connection, const ConnectionReport& report) override {
    --live_;
    must(report.max_buffered <= most_buffered_);
    for (int side = 0; side < 2; ++side) check(connection, side, report.directions[side]);
    if (keep_) keep(connection, report);
  }

  // Of the sender with this port.
  Sum& sum(std::uint16_t port) { return sums_[port % sums_.size()]; }
  void must_be_complete() const {
    must(live_ == 0);
    for (const Sum& sum : sums_) must(sum.payload == sum.accounted_for);
  }
  const std::vector<reference::StreamConnection>& connections() const { return connections_; }

 private:
  void check(const TcpConnection& connection, int side, const StreamDirection& direction) {
    const StreamCounters& c = direction.counters;
    const FlowKey& key = connection.key;
    sum(port_number(side ? key.destination_port : key.source_port)).accounted_for +=
        c.submitted_bytes + c.repeated_bytes + c.late_bytes;
    std::uint64_t gaps = 0, end = 0;
    for (const StreamGap& gap : direction.gaps) {
      must(gap.length > 0 && gap.offset >= end);
      end = gap.offset + gap.length;
      gaps += gap.length;
    }
    must(gaps == c.gap_bytes);
    must(!direction.complete || (direction.syn && direction.fin && gaps == 0));
    must(ends_[connection.tag][side] <= c.submitted_bytes + gaps);
    must(c.submitted_bytes + gaps - ends_[connection.tag][side] <= (direction.fin ? gaps : 0));
  }

  void keep(const TcpConnection& connection, const ConnectionReport& report) {
    reference::StreamConnection& made = connections_[connection.tag];
    made.opened_packet = static_cast<std::int64_t>(connection.opened_packet);
    made.opened_time = connection.opened_ns;
    made.latest_time = report.last_ns;
    made.end = reason_of(report.end);
    made.max_buffered = static_cast<std::int64_t>(report.max_buffered);
    made.ends[0].port = port_number(connection.key.source_port);
    made.ends[1].port = port_number(connection.key.destination_port);
    for (int side = 0; side < 2; ++side) {
      const StreamDirection& direction = report.directions[side];
      reference::StreamWay& way = made.ways[side];
#define WARPMETER_ONE(name) way.counts.name = static_cast<std::int64_t>(direction.counters.name);
      WARPMETER_STREAM_COUNTERS(WARPMETER_ONE)
#undef WARPMETER_ONE
      way.syn = direction.syn, way.fin = direction.fin;
      way.finished = direction.finished, way.complete = direction.complete;
      for (const StreamGap& gap : direction.gaps) way.gaps.emplace_back(gap.offset, gap.length);
    }
  }

  bool keep_ = false;
  std::uint64_t most_buffered_ = 0;
  int live_ = 0;
  std::vector<reference::StreamConnection> connections_;  // by tag
  std::vector<std::array<std::uint64_t, 2>> ends_;        // of what was submitted, by tag
  std::array<Sum, 4> sums_;
};

// Of all inputs that are put together in one way: to make one costs more than most inputs do.
struct Way {
  explicit Way(std::uint8_t how) {
    options.block_size = how & 1 ? 1024 : 4096;
    options.gap_packets = how & 2 ? 8 : 2;
    options.timeout_ns = how & 4 ? kSecond : 0;
    options.overlap = kPolicies[how >> 6];
    options.spans = how & 8 && options.overlap == OverlapPolicy::first;
    options.memory = how & 16 ? 8 << 10 : 0;
    reassembler = std::make_unique<Reassembler>(options, checker);
  }

  ReassemblerOptions options;
  Checker checker;
  std::unique_ptr<Reassembler> reassembler;
};

Way& way_of(std::uint8_t how) {
  static std::array<std::unique_ptr<Way>, 256> ways;
  std::unique_ptr<Way>& way = ways[how];
  if (!way) way = std::make_unique<Way>(how);
  return *way;
}

std::uint32_t length_of(const std::uint8_t* segment) { return segment[3] * (segment[5] & 1 ? 8u : 1u); }

struct Read {
  PayloadSegment segment;
  std::uint16_t source_port, destination_port;
};

// Ports 0 and 1 talk, 2 and 3, or 0 with itself: which has one direction.
class Input {
 public:
  Read next(const std::uint8_t* bytes) {
    static const Text text;
    const std::uint8_t what = bytes[0], how = bytes[5];
    const auto place = static_cast<std::int16_t>(load<std::uint16_t>(bytes + 1));
    const std::uint16_t sender = what >> 4 & 1, pair = what >> 5 & 1 ? 2 : 0;
    const std::uint32_t first = sender ? 0xfffffc00u : 1000u;
    std::uint32_t sequence = first + static_cast<std::uint32_t>(place);
    if (std::abs(place) > 16'000) sequence = first + static_cast<std::uint32_t>(place) * 65'537u;
    const std::uint32_t length = length_of(bytes);
    const std::uint32_t cut = how >> 1 & 3 ? 0 : std::min<std::uint32_t>(length, bytes[4]);
    if (what & 0x80) time_ += kSteps[how >> 3 & 7];
    const std::uint32_t answered = (sender ? 1000u : 0xfffffc00u) + 1 + (how & 0x40 ? bytes[4] : 0);
    Read read;
    read.source_port = static_cast<std::uint16_t>(pair + sender);
    read.destination_port = static_cast<std::uint16_t>(pair + 1 - sender);
    if (how >= 0xf8) read.destination_port = read.source_port;
    const auto flags = static_cast<std::uint8_t>((what & 7) | (what & 8 ? kAck : 0));
    const std::span captured(text.at(sequence, what & 0x40), length - cut);
    read.segment = test::stream_segment(read.source_port, read.destination_port, flags, sequence, answered, length,
                                        captured, time_);
    return read;
  }

 private:
  static constexpr std::int64_t kSteps[] = {1,           1000,        kSecond - 1, kSecond,
                                            kSecond + 1, kSecond / 2, -1000,       -2 * kSecond};
  std::int64_t time_ = 1'700'000'000 * kSecond;
};

// Payload where nobody may look once it has gone.
class Frames {
 public:
  void add(PayloadSegment& s) {
    bytes_.push_back(std::make_unique<std::uint8_t[]>(s.captured));
    std::copy_n(s.data, s.captured, bytes_.back().get());
    s.data = bytes_.back().get();
  }
  void clear() { bytes_.clear(); }

 private:
  std::vector<std::unique_ptr<std::uint8_t[]>> bytes_;
};

reference::OracleSegment for_oracle(const Read& read, std::int64_t number) {
  reference::OracleSegment made;
  made.source.port = read.source_port;
  made.destination.port = read.destination_port;
  made.sequence = read.segment.sequence;
  made.acknowledgement = read.segment.acknowledged;
  made.flags = read.segment.flags;
  made.payload = read.segment.payload_length;
  made.data = {read.segment.data, read.segment.captured};
  made.number = number;
  made.time = read.segment.time_ns;
  return made;
}

void must_be_alike(const Way& way, reference::StreamOracle& oracle) {
  std::vector<reference::StreamConnection> got = way.checker.connections();
  std::ranges::sort(got, {}, &reference::StreamConnection::opened_packet);
  must(oracle.finish().connections == got);
}

std::uint64_t payload_of(const std::uint8_t* data, std::size_t size) {
  std::uint64_t bytes = 0;
  for (; size >= kSegmentBytes; data += kSegmentBytes, size -= kSegmentBytes) bytes += length_of(data);
  return bytes;
}

void reassemble(std::uint8_t how, const std::uint8_t* data, std::size_t size) {
  Way& way = way_of(how);
  const bool compare = !(how & 0x20) && way.options.memory == 0 && payload_of(data, size) <= kCompared;
  reference::StreamOptions told;
  told.block_size = way.options.block_size;
  told.gap_packets = way.options.gap_packets;
  told.timeout = way.options.timeout_ns;
  told.overlap = kOraclePolicies[how >> 6];
  reference::StreamOracle oracle(told);
  // What waits behind a gap, or less than a block; and the segment that is put in.
  const std::uint64_t behind_gap = std::uint64_t{way.options.gap_packets} * kLongest;
  way.checker.begin(compare, std::max<std::uint64_t>(way.options.block_size, behind_gap) + kLongest);
  Input input;
  std::int64_t latest = Reassembler::kNoTime;
  std::uint64_t number = 0;
  Frames frames;
  Tcb* before = nullptr;  // of another segment, or of one that has ended since
  for (; size >= kSegmentBytes && number < kMostSegments; data += kSegmentBytes, size -= kSegmentBytes) {
    Read read = input.next(data);
    ++number;
    if (!(read.segment.flags & kRst)) way.checker.sum(read.source_port).payload += read.segment.captured;
    latest = std::max(latest, read.segment.time_ns);
    if (compare) oracle.take(for_oracle(read, static_cast<std::int64_t>(number)));
    if (way.options.spans) frames.add(read.segment);
    Tcb* const likely = read.segment.flags & kAck ? way.reassembler->prefetch_connection(read.segment.hash) : before;
    way.reassembler->take(read.segment, number, likely);
    before = likely;
    if (way.options.spans && read.segment.sequence % 8 == 0) {
      way.reassembler->detach_from_frames(number);
      frames.clear();
    }
  }
  way.reassembler->end_all(latest);
  way.checker.must_be_complete();
  if (compare) must_be_alike(way, oracle);
  way.checker.forget();
}

}  // namespace
}  // namespace warpmeter::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 0) warpmeter::fuzz::reassemble(data[0], data + 1, size - 1);
  return 0;
}
