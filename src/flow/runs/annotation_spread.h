// Whose annotations are: while Join goes through the partials of a Flow Key and what is noted between them, this gives
// each Flow Record what reaches it (AnnotationReach).
//
// Connections follow each other in the packets of a key, so one at a time is open. A Flow Record that began in an
// earlier one belongs to that, however long it goes on.
//
// Threads: one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "flow/runs/annotation_parts.h"

namespace warpmeter::inline flow {

class AnnotationSpread {
 public:
  // Nothing reaches further than its Flow Record: neither of the next two need be called.
  bool is_idle() const { return !reaches_; }

  // Another Flow Key.
  void clear();
  // A Flow Record begins, of which this is the arrival: it gets what reaches it from before.
  void begin_record(std::uint64_t arrival, PartsBehind& record);

  // The next part that is noted, of the Flow Record that began last, with this arrival.
  void take(const FlowRecord& part, std::uint64_t arrival, PartsBehind& record);

 private:
  void begin_anew(PartsBehind& record);
  void begin_connection(std::uint64_t number, bool joins);

  struct Until {
    FlowRecord part;
    std::uint64_t packet;
  };
  std::uint64_t open_ = 0;                  // connection; 0: none
  std::vector<FlowRecord> of_connection_;   // parts that its later Flow Records get
  std::vector<Until> until_;                // parts that those get which begin up to a packet
  std::size_t still_reach_ = 0;             // of these, behind the last look
  std::size_t from_before_ = 0;             // parts that the last Flow Record got as it began
  std::uint64_t connection_of_record_ = 0;  // in which the last one began; 0: in none
  std::uint64_t pushed_out_ = 0;            // connection; 0: none, or another one began since
  bool reaches_ = false;                    // some part did
};

}  // namespace warpmeter::inline flow
