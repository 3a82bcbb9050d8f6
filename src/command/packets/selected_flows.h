// Which flows are wanted: Flow Records, as they come from metering or from files, to a FlowSelection.
//
// Threads: sections by any, each by one at a time; the rest by one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "analysis/query/filter.h"
#include "command/packets/flow_selection.h"
#include "core/record_writer.h"
#include "record/read/flow_files.h"
#include "warpmeter/biflow.h"

namespace warpmeter::inline command {

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
