// Files of Flow Records with chosen columns. Lines are made in sections, on any thread; rows of other formats by
// whoever writes the file.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "command/show/chosen_columns.h"
#include "record/columns/column_option.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {
namespace {

// What one direction of a run does not count no Flow Record of it has.
Biflow biflow_of(const FlowRecord& record, const FlowRecord* reverse, const RecordLayout& layout) {
  Biflow flow;
  flow.forward = record;
  flow.forward.absent |= layout.absent;
  flow.of_biflows = layout.biflow;
  flow.has_reverse = reverse != nullptr;
  if (!reverse) return flow;
  flow.reverse = *reverse;
  flow.reverse.absent |= layout.absent;
  return flow;
}

class TextSink : public ByteSink {
 public:
  void write(const void* bytes, std::size_t count) override { text.append(static_cast<const char*>(bytes), count); }

  std::string text;
};

ChosenColumns chosen_columns(const OutputOptions& options, const RecordLayout& layout, const RowTarget& target) {
  const bool all = options.choice.columns.empty();
  if (all && options.choice.naming == Naming::zeek && !layout.biflow)
    throw Error(std::string(options.format == Format::zeek ? "--format zeek" : "--names zeek") +
                    " goes with --biflow: a line of conn.log has both directions",
                ExitStatus::usage);
  ChosenColumns columns(all ? ChosenColumns::all_of(options.choice.naming, layout, options.format) : options.choice,
                        layout.extra, target.audience, target.times);
  columns.must_be_in(layout, all);
  return columns;
}

class LinesSection : public RecordSection {
 public:
  LinesSection(const OutputOptions& options, const RecordLayout& layout, const ChosenColumns& columns)
      : layout_(layout), rows_(columns, file_target(options, sink_)) {
    rows_.begin();
    sink_.text.clear();  // a file has its first lines once
  }

  void write(const FlowRecord& record, const FlowRecord* reverse) override {
    rows_.write(biflow_of(record, reverse, layout_), kNoAnnotations);
  }
  void write_annotated(const FlowRecord& record, const FlowRecord* reverse, const Annotations& annotations) override {
    rows_.write(biflow_of(record, reverse, layout_), annotations);
  }
  std::size_t bytes() const override { return sink_.text.size() - taken_; }

  // Whole lines from the front, which are gone then: as few as have so many characters together, or all. To be used
  // before anything else is done with the section.
  std::string take(std::uint64_t characters) {
    std::size_t count = bytes();
    if (characters < count) count = sink_.text.find('\n', taken_ + characters - 1) + 1 - taken_;
    std::string lines = sink_.text.substr(taken_, count);
    taken_ += count;
    if (bytes() == 0) sink_.text.clear(), taken_ = 0;
    return lines;
  }

 private:
  const RecordLayout& layout_;
  TextSink sink_;
  std::size_t taken_ = 0;
  FlowRows rows_;
};

class LinesFile : public FormattedFile {
 public:
  LinesFile(const RecordFormat& format, FlowRows rows, OutputFile& file)
      : format_(format), rows_(std::move(rows)), file_(file) {}

  const RecordFormat& format() const override { return format_; }
  void begin() override { rows_.begin(); }
  bool may_be_cut() const override { return true; }
  void fill(RecordSection& section, std::uint64_t full) override {
    const std::uint64_t has = file_.bytes();
    file_.write(static_cast<LinesSection&>(section).take(has < full ? full - has : 1));
  }
  void end() override { rows_.end(); }

 private:
  const RecordFormat& format_;
  FlowRows rows_;
  OutputFile& file_;
};

class RowsFile : public FormattedFile {
 public:
  RowsFile(const RecordFormat& format, const RecordLayout& layout, FlowRows rows, OutputFile& file)
      : format_(format), layout_(layout), rows_(std::move(rows)), file_(file) {}

  const RecordFormat& format() const override { return format_; }
  void begin() override { rows_.begin(); }
  void fill(RecordSection& section, std::uint64_t full) override {
    const std::uint64_t has = file_.bytes(), more = section.bytes();
    held_ += more;
    static_cast<HeldRecords&>(section).take(
        [this, full](const FlowRecord& record, const FlowRecord* reverse, const Annotations* noted) {
          rows_.write(biflow_of(record, reverse, layout_), noted ? *noted : kNoAnnotations);
          return file_.bytes() < full;
        });
    if (file_.bytes() != has) held_ = more;  // of those before, a group of rows was written, but for some that wait
  }
  void end() override { rows_.end(); }
  // No row takes more in the file than in memory, but for texts of addresses; beside them stand rows that waited before
  // a group was written, and what groups begin with.
  std::uint64_t most_to_come(std::uint64_t more) const override {
    constexpr std::uint64_t kGrowth = 2, kOfFile = 4 << 20;
    return kGrowth * (held_ + more) + kOfFile;
  }

 private:
  const RecordFormat& format_;
  const RecordLayout& layout_;
  FlowRows rows_;
  OutputFile& file_;
  std::uint64_t held_ = 0;  // Flow Records that came since a group was written, in bytes of memory
};

class ChosenFormat : public FileFormat {
 public:
  // Columns are resolved at once, so that a wrong name ends a run before it reads.
  ChosenFormat(const OutputOptions& options, const RecordLayout& layout)
      : options_(options),
        layout_(layout),
        columns_(chosen_columns(options, layout, file_target(options, nowhere_))),
        has_lines_(is_lines(options.format)) {}

  std::unique_ptr<RecordSection> new_section() const override {
    if (!has_lines_) return std::make_unique<HeldRecords>();
    return std::make_unique<LinesSection>(options_, layout_, columns_);
  }
  std::unique_ptr<FormattedFile> new_file(OutputFile& file) const override {
    FlowRows rows(columns_, file_target(options_, file));
    if (has_lines_) return std::make_unique<LinesFile>(*this, std::move(rows), file);
    return std::make_unique<RowsFile>(*this, layout_, std::move(rows), file);
  }

 private:
  const OutputOptions options_;
  const RecordLayout layout_;
  TextSink nowhere_;
  const ChosenColumns columns_;
  const bool has_lines_;
};

class ChosenWriter : public OneByOneWriter {
 public:
  ChosenWriter(const OutputOptions& options, const RecordLayout& layout, RowTarget target)
      : layout_(layout), rows_(chosen_columns(options, layout, target), std::move(target)) {}

  void begin() override { rows_.begin(); }
  void write(const FlowRecord& record, const FlowRecord* reverse) override {
    rows_.write(biflow_of(record, reverse, layout_), kNoAnnotations);
  }
  void write_annotated(const FlowRecord& record, const FlowRecord* reverse, const Annotations& noted) override {
    rows_.write(biflow_of(record, reverse, layout_), noted);
  }
  void finish() override {
    if (!std::exchange(finished_, true)) rows_.end();
  }
  void end() override { finish(); }

 private:
  const RecordLayout layout_;
  FlowRows rows_;
  bool finished_ = false;
};

}  // namespace

std::unique_ptr<FileFormat> make_chosen_format(const OutputOptions& options, const RecordLayout& layout) {
  return std::make_unique<ChosenFormat>(options, layout);
}

std::unique_ptr<OneByOneWriter> make_chosen_writer(const OutputOptions& options, const RecordLayout& layout,
                                                   std::unique_ptr<RowOutput> rows) {
  const TimeForm times = options.times == TimeForm::us ? TimeForm::us : TimeForm::ns;
  OutputOptions of_rows = options;
  of_rows.format = Format::json;  // which has durations, too
  return std::make_unique<ChosenWriter>(of_rows, layout, RowTarget{Audience::program, times, std::move(rows)});
}

}  // namespace warpmeter::inline command
