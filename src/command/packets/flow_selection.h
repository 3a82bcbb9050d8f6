// The flows whose packets are wanted: of each Flow Key, which of its packets are those of such a flow; and how they are
// chosen among Flow Records, as these come from metering or from files.
//
// All packets of a key between the beginnings of two of its flows belong to the first of these, so that ranges tell
// all: of packet numbers, where the flows were metered from the same trace; of times, where they come from a file.
//
// Threads: add() by one alone; of() by any afterwards. Sections of Flow Records by any, each by one at a time; the rest
// by one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "analysis/query/filter.h"
#include "core/hash_seed.h"
#include "core/record_writer.h"
#include "record/read/flow_files.h"
#include "warpmeter/biflow.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::inline command {

// Of what ranges are.
enum class PacketOrder : std::uint8_t { number, time };

// Packets first .. last: numbers from 1 on, or ns since 1970 UTC.
struct PacketRange {
  std::int64_t first = std::numeric_limits<std::int64_t>::min(), last = std::numeric_limits<std::int64_t>::max();

  bool holds(std::int64_t value) const { return first <= value && value <= last; }
  bool holds_all() const { return *this == PacketRange{}; }
  friend bool operator==(const PacketRange&, const PacketRange&) = default;
};

class FlowSelection {
 public:
  // `seed`: of the hashes that of() is given. `memory`: bytes that it may take.
  FlowSelection(PacketOrder order, const HashSeed& seed, std::uint64_t memory)
      : order_(order), seed_(seed), memory_(memory) {}

  PacketOrder order() const { return order_; }

  // Flows of a key that has none yet. Throws Error where there are more than memory has room for.
  void add(const FlowKey& key, std::span<const PacketRange> ranges);

  // Those of the key; none, if no flow of it is wanted. `hash`: hash_flow() of the key. They stay until add().
  std::span<const PacketRange> of(const FlowKey& key, std::uint64_t hash) const;

  // Of what of() has given, the number of the first, counted over all keys as they were added.
  std::size_t place_of(std::span<const PacketRange> ranges) const {
    return static_cast<std::size_t>(ranges.data() - ranges_.data());
  }

  // Throws Error where what it holds and so many bytes are more than memory has room for.
  void check_room(std::uint64_t bytes) const;

 private:
  struct Key {
    FlowKey key;
    std::uint64_t hash;
    std::size_t first_range;
  };

  std::size_t slot_of(const FlowKey& key, std::uint64_t hash) const;
  void grow();

  const PacketOrder order_;
  const HashSeed seed_;
  const std::uint64_t memory_;
  std::vector<Key> keys_;
  std::vector<PacketRange> ranges_;   // of all keys, one behind the other
  std::vector<std::uint32_t> slots_;  // by the hash, or the next one that is free: number in keys_, from 1 on; 0: free
};

struct SelectedCounts {
  std::uint64_t flows = 0, selected = 0;  // Flow Records; a biflow is one
};

// An output of Flow Records that keeps which of them a filter is met by. Those of a key come together, or of both
// directions of a key, as export writes them (export_in_order()).
class SelectingWriter : public RecordWriter, private RecordFormat {
 public:
  // `biflow`: a line is both directions of a conversation. `absent`: columns that were not counted. What is referred to
  // must outlive it.
  SelectingWriter(const Filter& filter, bool biflow, std::uint32_t absent, FlowSelection& selection)
      : filter_(filter), biflow_(biflow), absent_(absent), selection_(selection) {}

  const RecordFormat& format() const override { return *this; }
  void append(RecordSection& section) override;
  void end() override { end_keys(); }

  const SelectedCounts& counts() const { return counts_; }

 private:
  struct Flow {
    FlowKey key;
    std::uint64_t first;  // number of its first packet
    bool is_selected;
  };
  class Section;

  std::unique_ptr<RecordSection> new_section() const override;
  void take(const Flow& flow);
  void end_keys();

  const Filter& filter_;
  const bool biflow_;
  const std::uint32_t absent_;
  FlowSelection& selection_;
  SelectedCounts counts_;
  std::vector<Flow> flows_;  // of the key, or of both, that came last
};

// Flow Records of files, by their times: `filter` null, all. Throws Error.
SelectedCounts select_from(FlowFiles& files, const Filter* filter, FlowSelection& selection);

}  // namespace warpmeter::inline command
