// A format of Flow Records, as those who have some see it. Flow Records come in output order, from one thread.
#pragma once

#include <cstdint>

#include "warpmeter/flow_record.h"

namespace warpmeter {

// What every Flow Record of an output has in common.
struct RecordLayout {
  bool vlan = false;         // the VLAN id is part of the Flow Key (--key-vlan)
  bool biflow = false;       // records may have a reverse direction (--biflow)
  std::uint32_t absent = 0;  // columns that no record has (columns.h), besides what each record's own `absent` says
};

class RecordWriter {
 public:
  virtual ~RecordWriter() = default;
  // Once, before the first write(). All of these throw Error, with the name of the output.
  virtual void begin() {}
  // `reverse`: the other direction of a biflow (RFC 5103), null if there is none. Its key is the reversed one.
  virtual void write(const FlowRecord& record, const FlowRecord* reverse) = 0;
  // Once, after the last write(): what is still held goes out.
  virtual void end() {}
};

}  // namespace warpmeter
