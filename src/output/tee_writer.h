// Several outputs of the same Flow Records, which appear together: each one is finished before the first gets its name.
//
// A section holds one of each output, so that all of them are encoded by the threads that fill sections.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "warpmeter/record_writer.h"

namespace warpmeter {

class TeeWriter : public RecordWriter {
 public:
  explicit TeeWriter(std::vector<std::unique_ptr<RecordWriter>> writers) : writers_(std::move(writers)) {}

  void begin() override {
    for (const auto& writer : writers_) writer->begin();
  }
  void write(const FlowRecord& record, const FlowRecord* reverse) override {
    for (const auto& writer : writers_) writer->write(record, reverse);
  }
  void finish() override {
    for (const auto& writer : writers_) writer->finish();
  }
  void end() override {
    finish();
    for (const auto& writer : writers_) writer->end();
  }

  std::unique_ptr<RecordSection> new_section() const override {
    auto section = std::make_unique<Section>();
    for (const auto& writer : writers_) section->parts.push_back(writer->new_section());
    return section;
  }
  void append(RecordSection& section) override {
    for (std::size_t i = 0; i < writers_.size(); ++i) writers_[i]->append(*static_cast<Section&>(section).parts[i]);
  }

 private:
  struct Section : RecordSection {
    void write(const FlowRecord& record, const FlowRecord* reverse) override {
      for (const auto& part : parts) part->write(record, reverse);
    }
    std::size_t bytes() const override {
      std::size_t sum = 0;
      for (const auto& part : parts) sum += part->bytes();
      return sum;
    }
    std::vector<std::unique_ptr<RecordSection>> parts;
  };

  const std::vector<std::unique_ptr<RecordWriter>> writers_;
};

}  // namespace warpmeter
