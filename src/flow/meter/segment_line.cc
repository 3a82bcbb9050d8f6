#include "flow/meter/segment_line.h"

#include <algorithm>
#include <array>

#include "core/prefetch.h"

namespace warpmeter::inline flow {
namespace {

// Segments go through the meter in groups: the next group's flow states, the index entries of the one after it and the
// segments behind those, which another core may have decoded, are asked for before it is metered. With 200,000 flows at
// once a run on one thread takes 39 % longer without the states, 20 % without the index, 2 % without the segments.
constexpr std::size_t kGroup = 8;
constexpr std::size_t kLine = 4 * kGroup;

// A segment on the way to its flow. Aligned, so that a place in the line is found by a shift: 8 instructions a packet.
struct alignas(64) PendingSegment {
  Shard* shard;
  const FlowKey* key;
  const Segment* segment;
  std::uint64_t hash;
  CompactFlowState* likely;  // its flow, perhaps
  DuplicateFilter* filter;
  DuplicateFilter::Hash identity;
};

// The listed segments of a batch, in shards from `first` on.
class InTheirShards {
 public:
  InTheirShards(std::span<const std::unique_ptr<Shard>> shards, unsigned first, const SegmentBatch& batch,
                std::span<const ListedSegment> listed)
      : shards_(shards.data()),
        first_(first),
        keys_(batch.key.data()),
        segments_(batch.segment.data()),
        listed_(listed) {}

  std::size_t size() const { return listed_.size(); }

 protected:
  PendingSegment at(std::size_t i, DuplicateFilter* filters) const {
    const ListedSegment& s = listed_[i];
    const std::size_t place = s.shard - first_;
    return {
        shards_[place].get(), keys_ + s.at, segments_ + s.at, s.hash, nullptr, filters ? filters + place : nullptr, {}};
  }
  std::uint32_t place_in_batch(std::size_t i) const { return listed_[i].at; }

 private:
  const std::unique_ptr<Shard>* shards_;
  const unsigned first_;
  const FlowKey* keys_;
  const Segment* segments_;
  std::span<const ListedSegment> listed_;
};

class WithFilters : public InTheirShards {
 public:
  WithFilters(const InTheirShards& segments, DuplicateFilter* filters) : InTheirShards(segments), filters_(filters) {}

  PendingSegment at(std::size_t i) const { return InTheirShards::at(i, filters_); }
  static void prefetch_duplicates(PendingSegment& pending) {
    pending.identity = pending.filter->hash_of(pending.hash, *pending.segment);
    pending.filter->prefetch(pending.identity);
  }
  static void meter(const PendingSegment& now, std::size_t, std::uint64_t number, unsigned bits) {
    const bool duplicate = now.filter->is_duplicate(*now.key, now.identity, *now.segment, number >> bits);
    now.shard->take(*now.key, now.hash, *now.segment, number, duplicate, now.likely);
  }

 private:
  DuplicateFilter* filters_;
};

class NotingAnnexes : public WithFilters {
 public:
  NotingAnnexes(const WithFilters& segments, const AnnexSource& annexes) : WithFilters(segments), annexes_(annexes) {}

  void meter(const PendingSegment& now, std::size_t i, std::uint64_t number, unsigned bits) const {
    const bool duplicate = now.filter->is_duplicate(*now.key, now.identity, *now.segment, number >> bits);
    now.shard->take_noting(*now.key, now.hash, *now.segment, number, duplicate, now.likely,
                           [&] { return annexes_.annex_of(place_in_batch(i)); });
  }

 private:
  const AnnexSource& annexes_;
};

class Judged : public WithFilters {
 public:
  Judged(const WithFilters& segments, std::span<JudgedPacket> judged) : WithFilters(segments), judged_(judged.data()) {}

  void meter(const PendingSegment& now, std::size_t i, std::uint64_t number, unsigned bits) const {
    const auto duplicate_of = now.filter->duplicate_of(*now.key, now.identity, *now.segment, number >> bits);
    judged_[place_in_batch(i)] = now.shard->judge(*now.key, now.hash, *now.segment, number, duplicate_of, now.likely);
  }

 private:
  JudgedPacket* judged_;
};

class WithFlags : public InTheirShards {
 public:
  WithFlags(const InTheirShards& segments, std::span<const std::uint8_t> duplicate)
      : InTheirShards(segments), duplicate_(duplicate) {}

  PendingSegment at(std::size_t i) const { return InTheirShards::at(i, nullptr); }
  static void prefetch_duplicates(PendingSegment&) {}
  void meter(const PendingSegment& now, std::size_t i, std::uint64_t number, unsigned) const {
    const bool duplicate = duplicate_[place_in_batch(i)] != 0;
    now.shard->take(*now.key, now.hash, *now.segment, number, duplicate, now.likely);
  }

 private:
  std::span<const std::uint8_t> duplicate_;
};

// One line of segments through all shards: begun anew for each, there would be nothing to ask for ahead half the time.
template <class Segments>
void meter_each(const SegmentBatch& batch, const Segments segments) {
  const std::uint64_t first_number = batch.first_number;
  const unsigned bits = batch.number_bits;
  const std::size_t count = segments.size();
  std::array<PendingSegment, kLine> line;  // a ring
  const auto ask_for_segment = [&](std::size_t i) {
    if (i >= count) return;
    PendingSegment& pending = line[i % kLine] = segments.at(i);
    prefetch_all(*pending.key);
    prefetch_all(*pending.segment);
  };
  const auto ask_for_index = [&](std::size_t i) {
    if (i < count) line[i % kLine].shard->prefetch_index(line[i % kLine].hash);
  };
  const auto ask_for_state = [&](std::size_t i) {
    if (i >= count) return;
    PendingSegment& pending = line[i % kLine];
    pending.likely = pending.shard->prefetch_state(pending.hash, pending.segment->flags & (kSyn | kFin));
    segments.prefetch_duplicates(pending);
  };
  for (std::size_t i = 0; i < 3 * kGroup; ++i) ask_for_segment(i);
  for (std::size_t i = 0; i < 2 * kGroup; ++i) ask_for_index(i);
  for (std::size_t i = 0; i < kGroup; ++i) ask_for_state(i);
  for (std::size_t begin = 0; begin < count; begin += kGroup) {
    for (std::size_t i = 0; i < kGroup; ++i) ask_for_segment(begin + 3 * kGroup + i);
    for (std::size_t i = 0; i < kGroup; ++i) ask_for_index(begin + 2 * kGroup + i);
    for (std::size_t i = 0; i < kGroup; ++i) ask_for_state(begin + kGroup + i);
    const std::size_t end = std::min(begin + kGroup, count);
    for (std::size_t i = begin; i < end; ++i) {
      const PendingSegment& now = line[i % kLine];
      segments.meter(now, i, first_number + now.segment->frame, bits);
    }
  }
}

}  // namespace

void meter_listed(std::span<const std::unique_ptr<Shard>> shards, std::span<DuplicateFilter> filters, unsigned first,
                  const SegmentBatch& batch, std::span<const ListedSegment> listed) {
  meter_each(batch, WithFilters({shards, first, batch, listed}, filters.data()));
}

void meter_listed(std::span<const std::unique_ptr<Shard>> shards, std::span<DuplicateFilter> filters, unsigned first,
                  const SegmentBatch& batch, std::span<const ListedSegment> listed, const AnnexSource& annexes) {
  meter_each(batch, NotingAnnexes({{shards, first, batch, listed}, filters.data()}, annexes));
}

void judge_listed(std::span<const std::unique_ptr<Shard>> shards, std::span<DuplicateFilter> filters, unsigned first,
                  const SegmentBatch& batch, std::span<const ListedSegment> listed, std::span<JudgedPacket> judged) {
  meter_each(batch, Judged(WithFilters({shards, first, batch, listed}, filters.data()), judged));
}

void meter_with_duplicate_flags(std::span<const std::unique_ptr<Shard>> shards, unsigned first,
                                const SegmentBatch& batch, std::span<const ListedSegment> listed,
                                std::span<const std::uint8_t> duplicate) {
  meter_each(batch, WithFlags({shards, first, batch, listed}, duplicate));
}

}  // namespace warpmeter::inline flow
