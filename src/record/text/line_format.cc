#include "record/text/line_format.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace warpmeter::inline record {
namespace {

class LineSection : public RecordSection {
 public:
  LineSection(LineWriter write_line, std::size_t most, const RecordLayout& layout)
      : write_line_(write_line), most_(most), layout_(layout) {}

  void write(const FlowRecord& record, const FlowRecord* reverse) override {
    if (size_ - fill_ < most_) grow(most_);
    char* const line = text_.get() + fill_;
    const char* const end = write_line_(line, record, reverse, kNoAnnotations, layout_);
    take_line(end - line, most_);
  }
  void write_annotated(const FlowRecord& record, const FlowRecord* reverse, const Annotations& annotations) override {
    const std::size_t most = most_ + annotations.most();
    if (size_ - fill_ < most) grow(most);
    char* const line = text_.get() + fill_;
    const char* const end = write_line_(line, record, reverse, annotations, layout_);
    take_line(end - line, most);
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
  void take_line(std::ptrdiff_t length, std::size_t most) {
    if (static_cast<std::size_t>(length) > most) fail();
    fill_ += static_cast<std::size_t>(length);
  }

  [[noreturn, gnu::cold, gnu::noinline]] static void fail() {
    throw std::logic_error("a line is longer than the room it asked for");
  }

  [[gnu::noinline]] void grow(std::size_t most) {  // seldom: inlined, it costs each line ten instructions
    const std::size_t size = std::max({2 * size_, kFirstSize, fill_ + most});
    std::unique_ptr<char[]> text(new char[size]);
    std::copy_n(text_.get(), fill_, text.get());
    text_ = std::move(text);
    size_ = size;
  }

  static constexpr std::size_t kFirstSize = 256 << 10;

  const LineWriter write_line_;
  const std::size_t most_;
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
  return std::make_unique<LineSection>(write_line_, most_, layout_);
}

std::unique_ptr<FormattedFile> LineFormat::new_file(OutputFile& file) const {
  return std::make_unique<LineFile>(*this, header_, file);
}

}  // namespace warpmeter::inline record
