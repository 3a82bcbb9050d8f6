#include "record/write/output_format.h"

#include <utility>

#include "core/one_by_one_writer.h"
#include "record/columns/column_option.h"
#include "record/parquet/parquet_files.h"
#include "record/text/file_format.h"
#include "warpmeter/status.h"

#if WARPMETER_HAVE_IPFIX
#include "record/ipfix/ipfix_format.h"
#endif

namespace warpmeter::inline record {

#if WARPMETER_HAVE_IPFIX
namespace {

class IpfixFile : public FormattedFile {
 public:
  IpfixFile(const MessageFormat& format, OutputFile& file) : sink_(file), writer_(format.new_writer(sink_)) {}

  const RecordFormat& format() const override { return writer_->format(); }
  void begin() override { writer_->begin(); }
  void fill(RecordSection& section, std::uint64_t full) override {
    sink_.full_at(full);
    writer_->fill(section);
  }
  void end() override { writer_->end(); }
  bool may_be_cut() const override { return true; }
  void settle() override { writer_->flush(); }

 private:
  IpfixFileSink sink_;
  const std::unique_ptr<MessageWriter> writer_;
};

class IpfixFileFormat : public FileFormat {
 public:
  explicit IpfixFileFormat(std::unique_ptr<const MessageFormat> messages) : messages_(std::move(messages)) {}

  std::unique_ptr<RecordSection> new_section() const override { return messages_->new_section(); }
  std::unique_ptr<FormattedFile> new_file(OutputFile& file) const override {
    return std::make_unique<IpfixFile>(*messages_, file);
  }

 private:
  const std::unique_ptr<const MessageFormat> messages_;
};

}  // namespace

bool built_with_ipfix() { return true; }

std::unique_ptr<FileFormat> make_ipfix_file_format(const RecordLayout& layout, const IpfixOptions& options) {
  return std::make_unique<IpfixFileFormat>(make_ipfix_messages(layout, options));
}

std::unique_ptr<MessageFormat> make_ipfix_messages(const RecordLayout& layout, const IpfixOptions& options) {
  return make_ipfix_format(layout, options);
}
#else
bool built_with_ipfix() { return false; }

std::unique_ptr<FileFormat> make_ipfix_file_format(const RecordLayout&, const IpfixOptions&) {
  throw Error(kWithoutIpfix, ExitStatus::usage);
}

std::unique_ptr<MessageFormat> make_ipfix_messages(const RecordLayout&, const IpfixOptions&) {
  throw Error(kWithoutIpfix, ExitStatus::usage);
}
#endif

namespace {

// What a column takes at most, of Flow Records of `bytes` in memory: addresses as text, and levels, are longer than in
// memory; everything else is not. And for each group of rows: headers of pages, statistics, and its part of the footer.
constexpr std::uint64_t kMostGrowth = 2, kOfGroup = 32 << 10, kOfFile = 64 << 10;

class ParquetFile : public FormattedFile {
 public:
  ParquetFile(const RecordLayout& layout, OutputFile& file) : file_(file), writer_(make_parquet_writer(file, layout)) {}

  const RecordFormat& format() const override { return writer_->format(); }
  void begin() override { writer_->begin(); }
  void fill(RecordSection& section, std::uint64_t full) override {
    const std::uint64_t has = file_.bytes(), more = section.bytes();
    held_ += more;
    static_cast<HeldRecords&>(section).take(
        [this, full](const FlowRecord& record, const FlowRecord* reverse, const Annotations* noted) {
          if (noted) writer_->write_annotated(record, reverse, *noted);
          else writer_->write(record, reverse);
          return file_.bytes() < full;
        });
    if (file_.bytes() != has) has_group_behind(more);
  }
  void end() override { writer_->end(); }

  void settle() override {
    const std::uint64_t has = file_.bytes();
    writer_->flush();
    if (file_.bytes() != has) has_group_behind(0);
  }
  std::uint64_t most_to_come(std::uint64_t more) const override {
    return kMostGrowth * (held_ + more) + (groups_ + 1) * kOfGroup + kOfFile;
  }

 private:
  void has_group_behind(std::uint64_t held) {
    ++groups_;
    held_ = held;
  }

  OutputFile& file_;
  const std::unique_ptr<OneByOneWriter> writer_;
  std::uint64_t held_ = 0, groups_ = 0;  // Flow Records in memory, in bytes; groups of rows that are in the file
};

class ParquetFormat : public FileFormat {
 public:
  explicit ParquetFormat(const RecordLayout& layout) : layout_(layout) {}

  std::unique_ptr<RecordSection> new_section() const override { return held_.new_section(); }
  std::unique_ptr<FormattedFile> new_file(OutputFile& file) const override {
    return std::make_unique<ParquetFile>(layout_, file);
  }

 private:
  const RecordLayout layout_;
  const HeldFormat held_;
};

}  // namespace

std::unique_ptr<FileFormat> make_parquet_format(const RecordLayout& layout) {
  return std::make_unique<ParquetFormat>(layout);
}

namespace {

// Parquet has its own type for moments, which is none of text, and columns that others have where they are asked for.
RecordLayout with_choices(RecordLayout layout, const OutputOptions& options) {
  const bool is_parquet = options.format == Format::parquet;
  layout = with_times(std::move(layout), is_parquet && options.times == TimeForm::iso ? TimeForm::ns : options.times);
  if (is_parquet) add_standing_columns(layout);
  return layout;
}

}  // namespace

std::unique_ptr<FileFormat> make_file_format(const OutputOptions& options, const RecordLayout& of_records) {
  if (!options.choice.is_of_all()) return options.make_chosen(options, of_records);
  const RecordLayout layout = with_choices(of_records, options);
  switch (options.format) {
    case Format::ipfix: return make_ipfix_file_format(layout, options.ipfix);
    case Format::parquet: return make_parquet_format(layout);
    default: return make_text_format(options.format, layout, options.table);
  }
}

bool can_write(Format format) {
  switch (format) {
    case Format::ipfix: return built_with_ipfix();
    case Format::parquet: require_parquet(); return true;
    default: return true;
  }
}

std::string why_not_written(Format format) {
  switch (format) {
    case Format::ipfix: return kWithoutIpfix;
    default: return "";
  }
}

}  // namespace warpmeter::inline record
