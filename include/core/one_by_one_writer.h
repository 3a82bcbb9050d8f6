// For outputs that have no work to give away to other threads: their sections keep the Flow Records as they are, which
// the writer gets one by one.
#pragma once

#include <cstdint>
#include <utility>
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
  void write_annotated(const FlowRecord& record, const FlowRecord* reverse, const Annotations& annotations) override {
    if (!annotations.empty()) {
      noted_.emplace_back(paired_.size(), annotations);
      noted_bytes_ += annotations.most();
    }
    write(record, reverse);
  }
  std::size_t bytes() const override { return (records_.size() - taken_records_) * sizeof(FlowRecord) + noted_bytes_; }

  // Calls give(record, reverse, annotations) for one after the other, which are gone then, until that returns false.
  // Null: there are none.
  template <class Give>
  void take(Give give) {
    for (bool more = true; more && taken_ < paired_.size();) {
      const FlowRecord* record = &records_[taken_records_];
      const Annotations* const noted = taken_noted_ < noted_.size() && noted_[taken_noted_].first == taken_
                                           ? &noted_[taken_noted_++].second
                                           : nullptr;
      const bool paired = paired_[taken_++];
      taken_records_ += paired ? 2 : 1;
      if (noted) noted_bytes_ -= noted->most();
      more = give(record[0], paired ? &record[1] : nullptr, noted);
    }
    if (taken_ < paired_.size()) return;
    records_.clear();
    paired_.clear();
    noted_.clear();
    taken_ = taken_records_ = taken_noted_ = noted_bytes_ = 0;
  }

 private:
  std::vector<FlowRecord> records_;                              // each followed by its reverse, where it has one
  std::vector<std::uint8_t> paired_;                             // one a record that is no reverse
  std::vector<std::pair<std::size_t, Annotations>> noted_;       // of which of paired_
  std::size_t taken_ = 0, taken_records_ = 0, taken_noted_ = 0;  // of these
  std::size_t noted_bytes_ = 0;                                  // that were not taken
};

class HeldFormat : public RecordFormat {
 public:
  std::unique_ptr<RecordSection> new_section() const override { return std::make_unique<HeldRecords>(); }
};

class OneByOneWriter : public RecordWriter {
 public:
  virtual void write(const FlowRecord& record, const FlowRecord* reverse) = 0;
  virtual void write_annotated(const FlowRecord& record, const FlowRecord* reverse, const Annotations&) {
    write(record, reverse);
  }

  const RecordFormat& format() const final { return format_; }
  void append(RecordSection& section) final {
    static_cast<HeldRecords&>(section).take(
        [this](const FlowRecord& record, const FlowRecord* reverse, const Annotations* noted) {
          if (noted) write_annotated(record, reverse, *noted);
          else write(record, reverse);
          return true;
        });
  }

 private:
  const HeldFormat format_{};
};

}  // namespace warpmeter
