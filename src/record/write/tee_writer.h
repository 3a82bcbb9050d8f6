// Several outputs of the same Flow Records, which appear together: each one is finished before the first gets its name,
// and where one cannot get its name, none has one.
//
// A section holds one of each output, so that all of them are encoded by the threads that fill sections.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/record_writer.h"

namespace warpmeter::inline record {

class TeeSection : public RecordSection {
 public:
  explicit TeeSection(std::vector<std::unique_ptr<RecordSection>> sections) : parts(std::move(sections)) {}
  void write(const FlowRecord& record, const FlowRecord* reverse) override {
    for (const auto& part : parts) part->write(record, reverse);
  }
  void write_annotated(const FlowRecord& record, const FlowRecord* reverse, const Annotations& annotations) override {
    for (const auto& part : parts) part->write_annotated(record, reverse, annotations);
  }
  std::size_t bytes() const override {
    std::size_t sum = 0;
    for (const auto& part : parts) sum += part->bytes();
    return sum;
  }

  const std::vector<std::unique_ptr<RecordSection>> parts;  // one of each output
};

class TeeFormat : public RecordFormat {
 public:
  explicit TeeFormat(const std::vector<std::unique_ptr<RecordWriter>>& writers) : writers_(writers) {}
  std::unique_ptr<RecordSection> new_section() const override {
    std::vector<std::unique_ptr<RecordSection>> parts;
    for (const auto& writer : writers_) parts.push_back(writer->format().new_section());
    return std::make_unique<TeeSection>(std::move(parts));
  }

 private:
  const std::vector<std::unique_ptr<RecordWriter>>& writers_;
};

class TeeWriter : public RecordWriter {
 public:
  explicit TeeWriter(std::vector<std::unique_ptr<RecordWriter>> writers)
      : writers_(std::move(writers)), format_(writers_) {}

  const RecordFormat& format() const override { return format_; }
  void begin() override {
    for (const auto& writer : writers_) writer->begin();
  }
  void append(RecordSection& section) override {
    const auto& parts = static_cast<TeeSection&>(section).parts;
    for (std::size_t i = 0; i < writers_.size(); ++i) writers_[i]->append(*parts[i]);
  }
  void flush() override {
    for (const auto& writer : writers_) writer->flush();
  }
  void rotate() override {
    for (const auto& writer : writers_) writer->rotate();
  }
  void finish() override {
    for (const auto& writer : writers_) writer->finish();
  }
  void name() override {
    std::size_t named = 0;
    try {
      for (; named < writers_.size(); ++named) writers_[named]->name();
    } catch (...) {
      while (named-- > 0) writers_[named]->take_back();
      throw;
    }
  }
  void take_back() override {
    for (const auto& writer : writers_) writer->take_back();
  }
  void end() override {
    finish();
    name();
    for (const auto& writer : writers_) writer->end();
  }

 private:
  const std::vector<std::unique_ptr<RecordWriter>> writers_;
  const TeeFormat format_;
};

}  // namespace warpmeter::inline record
