// Sections of another format that know the sums of what was written into them, for who has to say what became of it.
// A biflow is one Flow Record with the traffic of both directions, as it is one row of a file.
//
// Threads: as of the other format and its sections (core/record_format.h).
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "core/record_format.h"
#include "record/write/output_loss.h"

namespace warpmeter::inline record {

class CountedSection : public RecordSection {
 public:
  explicit CountedSection(const RecordFormat& format) : format_(format), inner_(format.new_section()) {}
  void write(const FlowRecord& record, const FlowRecord* reverse) override {
    sums_.add(record);
    if (reverse) sums_.packets += reverse->packets, sums_.octets += reverse->bytes;
    inner_->write(record, reverse);
  }
  std::size_t bytes() const override { return inner_->bytes(); }

  RecordSection& inner() { return *inner_; }
  // What was written since it was asked last.
  RecordSums take_sums() { return std::exchange(sums_, {}); }
  // Forgets what it holds.
  void clear() {
    if (inner_->bytes() > 0) inner_ = format_.new_section();
  }

 private:
  const RecordFormat& format_;
  std::unique_ptr<RecordSection> inner_;
  RecordSums sums_;
};

class CountedFormat : public RecordFormat {
 public:
  // `format` must outlive it.
  explicit CountedFormat(const RecordFormat& format) : format_(format) {}
  std::unique_ptr<RecordSection> new_section() const override { return std::make_unique<CountedSection>(format_); }

 private:
  const RecordFormat& format_;
};

}  // namespace warpmeter::inline record
