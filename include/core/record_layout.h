// What every Flow Record of a file or stream has in common, for those who write and who read it.
#pragma once

#include <cstdint>

#include "core/extra_column.h"
#include "warpmeter/time_form.h"

namespace warpmeter {

class ObservedPoints;

struct RecordLayout {
  bool vlan = false;         // the VLAN id is part of the Flow Key (--key-vlan)
  bool biflow = false;       // records may have a reverse direction (--biflow)
  std::uint32_t absent = 0;  // columns that no record has (columns.h), besides what each record's own `absent` says
  TimeForm times = TimeForm::ns;
  ExtraColumns extra = {};                   // behind all others, in text and typed columns
  const ObservedPoints* observed = nullptr;  // not owned; null: records do not tell where they were observed
  bool numbered = true;                      // FlowRecord::arrival is the number of a packet of the trace
  std::uint32_t sample_one_in = 1;           // of flows: what collectors are told (--sample-flows)
  bool sample_changes = false;               // they are told also that it is 1
};

// The same with times of that form, in columns that options add too.
inline RecordLayout with_times(RecordLayout layout, TimeForm times) {
  layout.times = times;
  for (auto& column : layout.extra) {
    if (auto other = column->in(times)) column = std::move(other);
  }
  return layout;
}

}  // namespace warpmeter
