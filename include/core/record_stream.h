// Flow Records that come one by one, from one thread, on their way to a writer, which takes sections.
#pragma once

#include <cstddef>
#include <memory>

#include "core/record_writer.h"

namespace warpmeter {

class RecordStream {
 public:
  // `writer` must outlive it. It gets sections of so many bytes.
  explicit RecordStream(RecordWriter& writer, std::size_t enough = kEnough)
      : writer_(writer), enough_(enough), section_(writer.format().new_section()) {}

  void write(const FlowRecord& record, const FlowRecord* reverse) {
    section_->write(record, reverse);
    if (section_->bytes() >= enough_) flush();
  }
  void write_annotated(const FlowRecord& record, const FlowRecord* reverse, const Annotations& annotations) {
    section_->write_annotated(record, reverse, annotations);
    if (section_->bytes() >= enough_) flush();
  }
  // To be called before the writer's finish() or end().
  void flush() { writer_.append(*section_); }

 private:
  static constexpr std::size_t kEnough = 32 << 10;  // stays in a core's cache
  RecordWriter& writer_;
  const std::size_t enough_;
  const std::unique_ptr<RecordSection> section_;
};

}  // namespace warpmeter
