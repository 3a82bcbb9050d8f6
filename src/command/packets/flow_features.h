// Features of flows, for machine learning: of each Flow Record that is wanted, what lengths, gaps and times of its
// packets came to. Flow Records come first, from metering; then all packets again, each to the Flow Record that counted
// it.
//
// Metering has counted each packet of a Flow Key in one of its flows, and flows of a key follow each other: which one a
// packet belongs to follows from how many packets the flows before have.
//
// Threads: sections of Flow Records by any, each by one at a time; then add() by several, of different Flow Keys (a key
// and its reverse are one here); the rest by one at a time, which may start others.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/query/filter.h"
#include "base/files/output_file.h"
#include "command/packets/flow_selection.h"
#include "command/packets/packet_table.h"
#include "core/counters.h"
#include "core/record_writer.h"
#include "core/segment.h"
#include "packet/decode/decoder.h"
#include "packet/file/packet_source.h"
#include "pipeline/batches/stage_clock.h"

namespace warpmeter::inline command {

struct FeatureOptions {
  std::uint32_t first_packets = 20;            // of which each is told; at most 255
  std::int64_t idle_after_ns = 5'000'000'000;  // a longer gap is an idle period
};

// What is known of values, none of which is negative. Whole numbers alone are added up, so that nothing depends on the
// machine.
class Moments {
 public:
  void add(std::uint64_t value) {
    ++count_;
    sum_ += value;
    squares_ += static_cast<unsigned __int128>(value) * value;
    least_ = value < least_ ? value : least_;
    most_ = value > most_ ? value : most_;
  }
  void add(const Moments& other);

  std::uint64_t count() const { return count_; }
  std::uint64_t sum() const { return sum_; }
  // Nothing where there are no values; of the deviation, of a sample, where there are fewer than two.
  std::optional<std::uint64_t> least() const { return count_ ? std::optional(least_) : std::nullopt; }
  std::optional<std::uint64_t> most() const { return count_ ? std::optional(most_) : std::nullopt; }
  std::optional<double> mean() const;
  std::optional<double> deviation() const;

 private:
  std::uint64_t count_ = 0, sum_ = 0;
  unsigned __int128 squares_ = 0;  // of gaps it is below 2^128, since all of them together are below 2^64
  std::uint64_t least_ = std::numeric_limits<std::uint64_t>::max(), most_ = 0;
};

// A Flow Record that is wanted, and of a biflow both directions of it.
struct FeatureRow {
  struct Direction {
    std::int64_t start_ns = 0, end_ns = 0;
    std::uint64_t packets = 0, bytes = 0;
    Moments lengths, gaps;
    std::int64_t latest_ns = 0;

    std::int64_t gap_to(std::int64_t time_ns) const { return time_ns > latest_ns ? time_ns - latest_ns : 0; }
    bool is_complete() const { return lengths.count() == packets && lengths.sum() == bytes; }
  };

  FlowKey key;
  std::uint64_t first_packet = 0;
  bool has_reverse = false;
  Direction forward, reverse;
  // Of both directions together.
  Moments gaps, idle, active;
  std::uint64_t packets = 0;  // so far
  std::int64_t latest_ns = 0, active_since_ns = 0;
  std::size_t first_item = 0;  // of the first packets, in the lists
};

// One of the first packets of a row.
struct FirstPacket {
  std::uint64_t gap_ns;
  std::uint32_t length;
  bool is_reverse;
};

class FlowFeatures : public RecordWriter, private RecordFormat {
 public:
  // `filter`: of the Flow Records that are wanted; null: all. `absent`: columns that were not counted. `memory`: bytes
  // that it may take. What is referred to must outlive it.
  FlowFeatures(const FeatureOptions& options, const Filter* filter, bool biflow, std::uint32_t absent,
               const HashSeed& seed, std::uint64_t memory);

  // Flow Records, as export writes them: those of a key together, or of both directions of a key. Throw Error where
  // there are more than memory has room for.
  const RecordFormat& format() const override { return *this; }
  void append(RecordSection& section) override;
  void end() override;
  const SelectedCounts& counts() const { return counts_; }

  // Packets, those of a key in order. REQUIRES: end(). `hash`: as of FlowSelection.
  void add(const FlowKey& key, std::uint64_t hash, const Segment& segment);
  // REQUIRES: all were added. False where they are not those that were metered.
  bool end_packets();

  bool has_biflows() const { return biflow_; }
  std::span<const FeatureRow> rows() const { return rows_; }  // in the order of the Flow Records
  std::span<const FirstPacket> first_packets(const FeatureRow& row) const;

 private:
  static constexpr std::uint32_t kUnwanted = ~std::uint32_t{0};
  // Of the packets of a key, those of one of its flows.
  struct Share {
    std::uint64_t end;  // so many packets the key has up to its last
    std::uint32_t row;  // or kUnwanted
    bool is_reverse;
    std::uint32_t current = 0;  // of the key's first share: which one the next packet is in, counted from here
    std::uint64_t packets = 0;  // of the key's first share: that came
  };
  struct Flow {
    FlowKey key;
    std::uint64_t arrival, packets;
    std::uint32_t row;
    bool is_reverse;
  };
  class Section;

  std::unique_ptr<RecordSection> new_section() const override;
  void take(const Flow& flow);
  void end_keys();
  void check_room(std::size_t items) const;
  void add_to(FeatureRow& row, bool is_reverse, const Segment& segment);

  const FeatureOptions options_;
  const Filter* const filter_;
  const bool biflow_;
  const std::uint32_t absent_;
  const std::uint64_t memory_;
  SelectedCounts counts_;
  std::vector<Flow> flows_;  // of the key, or of both, that came last
  FlowSelection keys_;       // whose ranges are numbered as shares are
  std::vector<Share> shares_;
  std::vector<FeatureRow> rows_;
  std::vector<FirstPacket> items_;
  std::atomic<bool> has_others_ = false;  // packets came that were not metered
};

// Features as a table: a row a flow, its Flow Key and times first, by the names of Flow Records, then features, by the
// names of nfstream and CICFlowMeter (docs/packets.md). To a file, or for a program that takes rows.

// All packets of the source, each to its flow. Uses so many threads. Throws what any of them throws.
DecodeCounters add_packets(TraceSource& trace, const Decoder& decoder, StageClock& clock, unsigned threads,
                           FlowFeatures& features);

// Writes all rows. `key_vlan`: the VLAN id is part of the Flow Key, and has a column. `threads` encode. Throws Error.
void write_features(const FlowFeatures& features, bool key_vlan, TableForm form, OutputFile& file, unsigned threads);
void write_features(const FlowFeatures& features, bool key_vlan, const RowsTaker& taker, unsigned threads);

}  // namespace warpmeter::inline command
