// Segments of every kind by chance, and segment files of them, written and read as the program does.
#pragma once

#include <algorithm>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "packet/segments/segment_file.h"
#include "packet/segments/segment_trace.h"
#include "support/byte_writer.h"
#include "support/keys.h"
#include "support/same_segment.h"
#include "support/scratch_folder.h"

namespace warpmeter::test {

// A segment, its key, and its frame of the set, counted from 0.
struct FramedSegment {
  FlowKey key;
  Segment segment;  // `frame` is not used
  std::uint64_t frame = 0;

  bool operator==(const FramedSegment& other) const {
    Segment a = segment, b = other.segment;
    a.frame = b.frame = 0;
    return key == other.key && frame == other.frame && same_segment(a, b);
  }
};

// Keys of all kinds, and flows of TCP that go on as flows do, but for some of their segments.
class RandomSegments {
 public:
  // Times are multiples of `unit` apart.
  explicit RandomSegments(std::uint64_t seed, std::uint32_t conversations = 20, std::int64_t unit = 1)
      : chance_(seed), unit_(unit) {
    for (std::uint32_t i = 0; i < conversations; ++i) flows_.push_back({key(), word(), word()});
  }

  // `apart`: at most so many frames without a segment before it.
  FramedSegment next(std::uint64_t apart = 3) {
    Flow& flow = flows_[below(flows_.size())];
    const bool back = below(2);
    FramedSegment made{back ? swapped(flow.key) : flow.key, {}, frame_ += below(apart + 1)};
    ++frame_;
    Segment& s = made.segment;
    s.time_ns = next_time();
    s.kind = below(2) ? kHasIdentity : kHasIdentity | kAnonymous;
    if (flow.key.protocol != kProtocolTcp) set_other(s);
    else if (below(8) == 0) set_malformed(s);
    else set_tcp(s, back ? flow.back : flow.forward);
    return made;
  }

  std::vector<FramedSegment> next_ones(std::size_t count, std::uint64_t apart = 3) {
    std::vector<FramedSegment> all;
    while (all.size() < count) all.push_back(next(apart));
    return all;
  }

 private:
  struct Flow {
    FlowKey key;
    std::uint32_t forward, back;  // next sequence numbers
  };

  std::uint64_t below(std::uint64_t limit) { return chance_() % limit; }
  std::uint32_t word() { return below(4) ? static_cast<std::uint32_t>(chance_()) : 0xfffffff0; }  // soon beyond 2^32

  FlowKey key() {
    constexpr std::uint8_t kProtocols[] = {kProtocolTcp, kProtocolTcp, kProtocolTcp, kProtocolUdp, kProtocolIcmp, 47};
    KeyFields fields;
    fields.source.resize(below(3) ? 4 : 16);
    for (std::uint8_t& byte : fields.source) byte = static_cast<std::uint8_t>(chance_());
    fields.destination = fields.source;
    if (below(6)) fields.destination[below(fields.source.size())] ^= static_cast<std::uint8_t>(1 + below(255));
    fields.source_port = static_cast<std::uint16_t>(chance_());
    fields.destination_port = below(4) ? static_cast<std::uint16_t>(chance_()) : fields.source_port;
    fields.protocol = kProtocols[below(std::size(kProtocols))];
    if (below(4) == 0) fields.vlan = static_cast<std::uint16_t>(below(4096));
    return key_of(fields);
  }

  std::int64_t next_time() {
    constexpr std::int64_t kMost = std::int64_t{1} << 62;
    if (unit_ == 1 && below(50) == 0) return time_ns_ = below(2) ? kMost : -kMost;
    const auto step = static_cast<std::int64_t>(below(1000)) - (below(10) ? 0 : 5000);
    return time_ns_ = std::clamp(time_ns_ + step * unit_, -kMost, kMost);
  }

  void set_other(Segment& s) {
    s.length = static_cast<std::uint32_t>(below(20) ? 20 + below(1480) : chance_());
    if (below(10) == 0) {  // nothing behind the IP header
      s.kind &= static_cast<std::uint8_t>(~kHasIdentity);
      return;
    }
    s.identity_a = chance_();
    s.identity_b = static_cast<std::uint32_t>(chance_());
    s.sequence = static_cast<std::uint32_t>(chance_());
  }

  // What cannot be TCP, but has the 20 bytes that a header has.
  void set_malformed(Segment& s) {
    set_other(s);
    s.window = static_cast<std::uint16_t>(chance_());
    s.flags = static_cast<std::uint8_t>(chance_());
  }

  void set_tcp(Segment& s, std::uint32_t& sequence) {
    s.kind |= kTcpSegment;
    TcpIdentity identity;
    identity.acknowledgement = static_cast<std::uint32_t>(chance_());
    identity.checksum = static_cast<std::uint16_t>(chance_());
    identity.urgent = static_cast<std::uint16_t>(below(10) ? 0 : chance_());
    identity.id = static_cast<std::uint16_t>(chance_());
    identity.offset = static_cast<std::uint8_t>((5 + below(11)) << 4 | (below(10) ? 0 : below(16)));
    identity.options = static_cast<std::uint8_t>(below(2) ? 0 : chance_());
    s.identity_a = identity.a();
    s.identity_b = identity.b();
    s.payload_length = static_cast<std::uint32_t>(below(3) ? 1448 * below(2) : below(20) ? below(65'000) : 1u << 30);
    s.length = s.payload_length + tcp_header_of(identity) + static_cast<std::uint32_t>(20 + 20 * below(2));
    s.window = static_cast<std::uint16_t>(chance_());
    s.flags = static_cast<std::uint8_t>(below(5) ? kAck : chance_());
    s.sequence = below(10) ? sequence : static_cast<std::uint32_t>(chance_());
    sequence = s.sequence + numbers_of(s);
  }

  std::mt19937_64 chance_;
  const std::int64_t unit_;
  std::vector<Flow> flows_;
  std::uint64_t frame_ = 0;
  std::int64_t time_ns_ = 1'700'000'000'000'000'000;
};

inline const HashSeed& segment_hash_seed() {
  static const HashSeed seed(7);
  return seed;
}

inline unsigned partition_of(const FlowKey& key, unsigned partitions) {
  return warpmeter::partition_of(shard_of(hashed_key(key)), partitions);
}

// Those of a partition, counted from 0.
inline std::vector<FramedSegment> of_partition(const std::vector<FramedSegment>& all, unsigned partition,
                                               unsigned partitions) {
  std::vector<FramedSegment> some;
  for (const FramedSegment& s : all) {
    if (partition_of(s.key, partitions) == partition) some.push_back(s);
  }
  return some;
}

inline bool is_behind(const std::vector<FramedSegment>& all, std::size_t i) {
  return i > 0 && all[i - 1].frame == all[i].frame;
}

// Of a set whose last frame is that of its last segment.
inline SetFacts facts_of(const std::vector<FramedSegment>& all) {
  SetFacts facts;
  facts.inputs = {"a.pcap"};
  facts.links = {1};
  if (all.empty()) return facts;
  facts.counters.frames = all.back().frame + 1;
  facts.counters.metered = all.size();
  for (std::size_t i = 0; i < all.size(); ++i) facts.counters.sharing_frame += is_behind(all, i);
  facts.first_ns = facts.latest_ns = all.front().segment.time_ns;
  for (const FramedSegment& s : all) facts.latest_ns = std::max(facts.latest_ns, s.segment.time_ns);
  facts.latest_segment_ns = facts.latest_ns;
  return facts;
}

struct BytesSink : ByteSink {
  Bytes bytes;
  void write(const void* from, std::size_t count) override {
    const auto* const begin = static_cast<const std::uint8_t*>(from);
    bytes.insert(bytes.end(), begin, begin + count);
  }
};

// The file of one partition.
inline Bytes segment_file(const SegmentFileHeader& header, const std::vector<FramedSegment>& all,
                          const SetFacts& facts) {
  BytesSink sink;
  SegmentFileWriter writer(header, segment_hash_seed(), sink);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const FramedSegment& s = all[i];
    if (partition_of(s.key, header.partitions) != header.partition) continue;
    writer.add(s.key, hash_flow(s.key, segment_hash_seed()).hash, s.segment, s.frame, is_behind(all, i));
  }
  writer.finish(facts);
  EXPECT_EQ(writer.bytes(), sink.bytes.size());
  return sink.bytes;
}

// The files of a set in a folder, which is made.
inline std::vector<std::string> write_set(const std::string& folder, unsigned partitions, std::uint32_t row_frames,
                                          const std::vector<FramedSegment>& all, const SetFacts& facts) {
  std::filesystem::create_directory(folder);
  std::vector<std::string> names;
  SegmentFileHeader header;
  header.partitions = static_cast<std::uint8_t>(partitions);
  header.row_frames = row_frames;
  for (unsigned p = 0; p < partitions; ++p) {
    header.partition = static_cast<std::uint8_t>(p);
    names.push_back(folder + "/part-" + std::to_string(p + 1));
    write_file(names.back(), segment_file(header, all, facts));
  }
  return names;
}

// All that the file holds. Throws Error.
inline std::vector<FramedSegment> read_segments(SegmentFile& file) {
  const std::uint32_t row_frames = file.header().row_frames;
  file.facts();
  SegmentRows rows;
  SegmentBatch batch(1);
  DecodeCounters counters;
  std::vector<FramedSegment> all;
  for (SegmentFile::Block block; file.next(block);) {
    rows.begin(row_frames);
    rows.add(file, block, row_frames);
    batch.reset(0);
    rows.append_to(std::span(&batch, 1), segment_hash_seed(), counters);
    for (std::uint32_t i = 0; i < batch.count; ++i) {
      all.push_back({batch.key[i], batch.segment[i], block.header.row * row_frames + batch.segment[i].frame});
    }
  }
  return all;
}
inline std::vector<FramedSegment> read_segments(const std::string& path) {
  SegmentFile file(path);
  return read_segments(file);
}
// The bytes must outlive the call.
inline std::vector<FramedSegment> read_segments(const std::string& name, std::span<const std::uint8_t> bytes) {
  SegmentFile file(name, std::make_shared<RegularFile>(bytes.data(), bytes.size()));
  return read_segments(file);
}

}  // namespace warpmeter::test
