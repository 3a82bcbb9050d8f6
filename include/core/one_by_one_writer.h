// For outputs that have no work to give away to other threads: their sections keep the Flow Records as they are, which
// the writer gets one by one.
#pragma once

#include <cstdint>
#include <vector>

#include "core/record_writer.h"

namespace warpmeter {

class HeldRecords : public RecordSection {
 public:
  void write(const FlowRecord& record, const FlowRecord* reverse) override {
    records_.push_back(record);
    if (reverse) records_.push_back(*reverse);
    paired_.push_back(reverse != nullptr);
  }
  std::size_t bytes() const override { return (records_.size() - taken_records_) * sizeof(FlowRecord); }

  // Calls give(record, reverse) for one after the other, which are gone then, until that returns false.
  template <class Give>
  void take(Give give) {
    for (bool more = true; more && taken_ < paired_.size();) {
      const FlowRecord* record = &records_[taken_records_];
      const bool paired = paired_[taken_++];
      taken_records_ += paired ? 2 : 1;
      more = give(record[0], paired ? &record[1] : nullptr);
    }
    if (taken_ < paired_.size()) return;
    records_.clear();
    paired_.clear();
    taken_ = taken_records_ = 0;
  }

 private:
  std::vector<FlowRecord> records_;            // each followed by its reverse, where it has one
  std::vector<std::uint8_t> paired_;           // one a record that is no reverse
  std::size_t taken_ = 0, taken_records_ = 0;  // of these
};

class HeldFormat : public RecordFormat {
 public:
  std::unique_ptr<RecordSection> new_section() const override { return std::make_unique<HeldRecords>(); }
};

class OneByOneWriter : public RecordWriter {
 public:
  virtual void write(const FlowRecord& record, const FlowRecord* reverse) = 0;

  const RecordFormat& format() const final { return format_; }
  void append(RecordSection& section) final {
    static_cast<HeldRecords&>(section).take([this](const FlowRecord& record, const FlowRecord* reverse) {
      write(record, reverse);
      return true;
    });
  }

 private:
  const HeldFormat format_{};
};

}  // namespace warpmeter
