// An output whose Flow Records a RecordWatch sees as they are encoded.
#pragma once

#include <chrono>
#include <memory>
#include <utility>

#include "command/live/record_watch.h"
#include "core/record_writer.h"

namespace warpmeter::inline command {

class WatchedSection : public RecordSection {
 public:
  WatchedSection(std::unique_ptr<RecordSection> inner, RecordWatch& watch) : section(std::move(inner)), watch_(watch) {}
  void write(const FlowRecord& record, const FlowRecord* reverse) override {
    saw(record, reverse);
    section->write(record, reverse);
  }
  void write_annotated(const FlowRecord& record, const FlowRecord* reverse, const Annotations& annotations) override {
    saw(record, reverse);
    section->write_annotated(record, reverse, annotations);
  }
  std::size_t bytes() const override { return section->bytes(); }

  const std::unique_ptr<RecordSection> section;

 private:
  void saw(const FlowRecord& record, const FlowRecord* reverse) {
    const std::int64_t now = std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
    watch_.saw(record, now);
    if (reverse) watch_.saw(*reverse, now);
  }

  RecordWatch& watch_;
};

class WatchedWriter : public RecordWriter, private RecordFormat {
 public:
  // What is referred to must outlive it.
  WatchedWriter(RecordWriter& output, RecordWatch& watch) : output_(output), watch_(watch) {}

  const RecordFormat& format() const override { return *this; }
  void begin() override { output_.begin(); }
  void append(RecordSection& section) override { output_.append(*static_cast<WatchedSection&>(section).section); }
  void flush() override {
    output_.flush();
    watch_.flushed();
  }
  void rotate() override { output_.rotate(); }
  void finish() override { output_.finish(); }
  void end() override { output_.end(); }

 private:
  std::unique_ptr<RecordSection> new_section() const override {
    return std::make_unique<WatchedSection>(output_.format().new_section(), watch_);
  }

  RecordWriter& output_;
  RecordWatch& watch_;
};

}  // namespace warpmeter::inline command
