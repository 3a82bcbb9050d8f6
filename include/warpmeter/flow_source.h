// A job that gives Flow Records, or rows made of them, to this program, one batch after the other.
//
// What waits to be taken is bounded: the job goes on only as fast as somebody takes.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "warpmeter/arrow_c_data.h"
#include "warpmeter/biflow.h"
#include "warpmeter/job.h"

namespace warpmeter {

// How Flow Records are given.
enum class Delivery : std::uint8_t { flows, arrow };

class WARPMETER_PUBLIC FlowSource : public Job {
 public:
  // Waits for the next Flow Records and replaces what `flows` holds. Of a Flow Record, `absent` has all columns whose
  // values it has not (columns.h). False: there are no more, outputs are complete, and summary() is there. Throws Error
  // if the job could not be done or finished; if a collector lost some, at the end, in place of false.
  bool next(std::vector<Biflow>& flows);

  // The same as a struct array with the columns of schema(); `to` is overwritten, and for the caller to release.
  bool next(ArrowArray& to);

  // For the caller to release. Waits until it is known: of an Extraction it is at once, of a Selection when there is a
  // first batch, or none at all. Throws like next().
  void schema(ArrowSchema& to) const;

 protected:
  explicit FlowSource(std::unique_ptr<JobWork> work);
};

// What it gives as an Arrow stream, for a Selection, a FlowReport or whoever else takes one; it stays as long as the
// stream. Overwrites `to`. REQUIRES: Delivery::arrow. Who wants to end early interrupts the source: its taker may be
// waiting for it. Throws Error (usage) for null.
WARPMETER_PUBLIC void export_stream(std::shared_ptr<FlowSource> source, ArrowArrayStream& to);

}  // namespace warpmeter
