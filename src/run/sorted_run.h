// A run in memory: chunks of partials, sorted without moving them.
#pragma once

#include <cstdint>
#include <vector>

#include "run/run_cursor.h"
#include "warpmeter/flow_record.h"

namespace warpmeter {

using PartialChunk = std::vector<FlowRecord>;

class SortedRun : public RunCursor {
 public:
  // Takes over the chunks and sorts them.
  SortedRun(std::vector<PartialChunk> chunks, RecordOrder order);
  void advance() override;

 private:
  // The first 16 bytes of the key decide most comparisons without touching the partial.
  struct Place {
    std::uint64_t prefix[2];
    const FlowRecord* partial;
  };
  static bool before(const Place& a, const Place& b, RecordOrder order);

  std::vector<PartialChunk> chunks_;
  std::vector<Place> places_;
  std::size_t at_ = 0;
};

}  // namespace warpmeter
