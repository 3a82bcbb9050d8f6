#include "record/text/line_format.h"

#include <algorithm>
#include <string_view>

namespace warpmeter::inline record {
namespace {

class LineSection : public RecordSection {
 public:
  LineSection(LineWriter write_line, const RecordLayout& layout) : write_line_(write_line), layout_(layout) {}

  void write(const FlowRecord& record, const FlowRecord* reverse) override {
    if (size_ - fill_ < kLongestLine) grow();
    fill_ = static_cast<std::size_t>(write_line_(text_.get() + fill_, record, reverse, layout_) - text_.get());
  }
  std::size_t bytes() const override { return fill_ - taken_; }

  // Whole lines from the front, which are gone then: as few as have so many characters together, or all. To be used
  // before anything else is done with the section.
  std::string_view take(std::uint64_t characters) {
    const char* front = text_.get() + taken_;
    std::size_t count = fill_ - taken_;
    if (characters < count) count = std::string_view(front, count).find('\n', characters - 1) + 1;
    taken_ += count;
    if (taken_ == fill_) taken_ = fill_ = 0;
    return {front, count};
  }

 private:
  void grow() {
    const std::size_t size = std::max<std::size_t>(2 * size_, 64 * kLongestLine);
    std::unique_ptr<char[]> text(new char[size]);
    std::copy_n(text_.get(), fill_, text.get());
    text_ = std::move(text);
    size_ = size;
  }

  const LineWriter write_line_;
  const RecordLayout layout_;
  std::unique_ptr<char[]> text_;
  std::size_t size_ = 0, fill_ = 0, taken_ = 0;
};

class LineFile : public FormattedFile {
 public:
  LineFile(const LineFormat& format, const std::string& header, OutputFile& file)
      : format_(format), header_(header), file_(file) {}

  const RecordFormat& format() const override { return format_; }
  void begin() override { file_.write(header_); }
  bool may_be_cut() const override { return true; }
  void fill(RecordSection& section, std::uint64_t full) override {
    const std::uint64_t has = file_.bytes();
    file_.write(static_cast<LineSection&>(section).take(has < full ? full - has : 1));
  }

 private:
  const LineFormat& format_;
  const std::string& header_;
  OutputFile& file_;
};

}  // namespace

std::unique_ptr<RecordSection> LineFormat::new_section() const {
  return std::make_unique<LineSection>(write_line_, layout_);
}

std::unique_ptr<FormattedFile> LineFormat::new_file(OutputFile& file) const {
  return std::make_unique<LineFile>(*this, header_, file);
}

}  // namespace warpmeter::inline record
