#include "output/parquet_output.h"

#include "core/one_by_one_writer.h"
#include "parquet/parquet_files.h"

namespace warpmeter {
namespace {

class ParquetFile : public FormattedFile {
 public:
  ParquetFile(const RecordLayout& layout, OutputFile& file) : file_(file), writer_(make_parquet_writer(file, layout)) {}

  const RecordFormat& format() const override { return writer_->format(); }
  void begin() override { writer_->begin(); }
  void fill(RecordSection& section, std::uint64_t full) override {
    static_cast<HeldRecords&>(section).take([this, full](const FlowRecord& record, const FlowRecord* reverse) {
      writer_->write(record, reverse);
      return file_.bytes() < full;
    });
  }
  void end() override { writer_->end(); }

 private:
  OutputFile& file_;
  const std::unique_ptr<OneByOneWriter> writer_;
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

}  // namespace warpmeter
