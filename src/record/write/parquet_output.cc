#include "record/write/output_format.h"

#include "core/one_by_one_writer.h"
#include "record/parquet/parquet_files.h"

namespace warpmeter::inline record {
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

}  // namespace warpmeter::inline record
