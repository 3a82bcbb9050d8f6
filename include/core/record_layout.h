// What every Flow Record of a file or stream has in common, for those who write and who read it.
#pragma once

#include <cstdint>
#include <optional>

#include "warpmeter/time_form.h"

namespace warpmeter {

class ObservedPoints;

struct RecordLayout {
  bool vlan = false;         // the VLAN id is part of the Flow Key (--key-vlan)
  bool biflow = false;       // records may have a reverse direction (--biflow)
  std::uint32_t absent = 0;  // columns that no record has (columns.h), besides what each record's own `absent` says
  TimeForm times = TimeForm::ns;
  std::optional<std::uint16_t> community_id = {};  // a column of the published hash, with this seed
  const ObservedPoints* observed = nullptr;        // not owned; null: records do not tell where they were observed
  bool interface_columns = false;                  // text and typed columns of that
  std::uint32_t sample_one_in = 1;                 // of flows: what collectors are told (--sample-flows)
  bool sample_changes = false;                     // they are told also that it is 1
};

}  // namespace warpmeter
