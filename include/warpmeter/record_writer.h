// A format of Flow Records, as those who have some see it. Flow Records come in output order, from one thread; or in
// sections, which several threads fill beside each other and one appends in output order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "warpmeter/flow_record.h"
#include "warpmeter/time_form.h"

namespace warpmeter {

// What every Flow Record of an output has in common.
struct RecordLayout {
  bool vlan = false;         // the VLAN id is part of the Flow Key (--key-vlan)
  bool biflow = false;       // records may have a reverse direction (--biflow)
  std::uint32_t absent = 0;  // columns that no record has (columns.h), besides what each record's own `absent` says
  TimeForm times = TimeForm::ns;
  std::optional<std::uint16_t> community_id = {};  // a column of the published hash, with this seed
};

// Flow Records on their way to the writer that made the section. One thread at a time.
class RecordSection {
 public:
  virtual ~RecordSection() = default;
  virtual void write(const FlowRecord& record, const FlowRecord* reverse) = 0;
  virtual std::size_t bytes() const = 0;  // that it takes
};

// The section of a writer that has no work to give away: it keeps the records as they are.
class HeldRecords : public RecordSection {
 public:
  void write(const FlowRecord& record, const FlowRecord* reverse) override {
    records_.push_back(record);
    if (reverse) records_.push_back(*reverse);
    paired_.push_back(reverse != nullptr);
  }
  std::size_t bytes() const override { return records_.size() * sizeof(FlowRecord); }

  // Calls give(record, reverse) for each, and is empty then.
  template <class Give>
  void take(Give give) {
    const FlowRecord* record = records_.data();
    for (const std::uint8_t paired : paired_) {
      give(record[0], paired ? &record[1] : nullptr);
      record += paired ? 2 : 1;
    }
    records_.clear();
    paired_.clear();
  }

 private:
  std::vector<FlowRecord> records_;   // each followed by its reverse, where it has one
  std::vector<std::uint8_t> paired_;  // one a record that is no reverse
};

class RecordWriter {
 public:
  virtual ~RecordWriter() = default;
  // Once, before the first write(). All of these throw Error, with the name of the output.
  virtual void begin() {}
  // `reverse`: the other direction of a biflow (RFC 5103), null if there is none. Its key is the reversed one.
  virtual void write(const FlowRecord& record, const FlowRecord* reverse) = 0;
  // Perhaps once, between the last write() and end(): does all of end() that may fail, but for giving files their
  // names. For outputs of which all are to be there or none.
  virtual void finish() {}
  // Once, after the last write(): what is still held goes out.
  virtual void end() {}

  // From any thread, beside everything else.
  virtual std::unique_ptr<RecordSection> new_section() const { return std::make_unique<HeldRecords>(); }
  // Writes what the section holds, and leaves it empty. REQUIRES: new_section() of this writer made it.
  virtual void append(RecordSection& section) {
    static_cast<HeldRecords&>(section).take(
        [this](const FlowRecord& record, const FlowRecord* reverse) { write(record, reverse); });
  }
};

}  // namespace warpmeter
