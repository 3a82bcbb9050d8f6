// A format of Flow Records turns them into bytes, on any thread. A RecordWriter puts these bytes where they go, on one
// (record_writer.h).
#pragma once

#include <cstddef>
#include <memory>

#include "core/annotations.h"
#include "warpmeter/flow_record.h"

namespace warpmeter {

// Consecutive Flow Records of an output, encoded as far as they can be without those before. One thread at a time.
class RecordSection {
 public:
  virtual ~RecordSection() = default;
  // `reverse`: the other direction of a biflow (RFC 5103), null if there is none. Its key is the reversed one.
  virtual void write(const FlowRecord& record, const FlowRecord* reverse) = 0;
  // The same, of a Flow Record of which something is noted; of a biflow, of both directions. Formats without columns
  // for that leave it out.
  virtual void write_annotated(const FlowRecord& record, const FlowRecord* reverse, const Annotations&) {
    write(record, reverse);
  }
  virtual std::size_t bytes() const = 0;  // that it takes; 0 if it holds no records
};

class RecordFormat {
 public:
  virtual ~RecordFormat() = default;
  // From any thread, beside everything else. The section holds no records, and must not outlive the format.
  virtual std::unique_ptr<RecordSection> new_section() const = 0;
};

}  // namespace warpmeter
