// A section of a format in which a Flow Record's line depends on nothing but the Flow Record: the lines are ready.
#pragma once

#include <algorithm>
#include <memory>
#include <string_view>

#include "export/output_file.h"
#include "warpmeter/record_writer.h"

namespace warpmeter {

// Writes the line of a Flow Record to `to`, at most OutputFile::kRoom characters; returns its end.
using LineWriter = char* (*)(char* to, const FlowRecord& record, const FlowRecord* reverse, const RecordLayout& layout);

class TextSection : public RecordSection {
 public:
  TextSection(LineWriter write_line, const RecordLayout& layout) : write_line_(write_line), layout_(layout) {}

  void write(const FlowRecord& record, const FlowRecord* reverse) override {
    if (size_ - fill_ < OutputFile::kRoom) grow();
    fill_ = static_cast<std::size_t>(write_line_(text_.get() + fill_, record, reverse, layout_) - text_.get());
  }
  std::size_t bytes() const override { return fill_; }

  void append_to(OutputFile& output) {
    output.write(std::string_view(text_.get(), fill_));
    fill_ = 0;
  }

 private:
  void grow() {
    const std::size_t size = std::max<std::size_t>(2 * size_, 64 * OutputFile::kRoom);
    std::unique_ptr<char[]> text(new char[size]);
    std::copy_n(text_.get(), fill_, text.get());
    text_ = std::move(text);
    size_ = size;
  }

  const LineWriter write_line_;
  const RecordLayout layout_;
  std::unique_ptr<char[]> text_;
  std::size_t size_ = 0, fill_ = 0;
};

}  // namespace warpmeter
