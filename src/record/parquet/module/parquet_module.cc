#include "record/parquet/parquet_files.h"

#include <arrow/config.h>

#include <utility>

#include "record/parquet/module/record_file_reader.h"
#include "record/parquet/module/record_file_writer.h"
#include "record/parquet/module/rows_file_writer.h"

// The one symbol that the module shows.
extern "C" __attribute__((visibility("default"))) const warpmeter::ParquetModule* warpmeter_parquet_module() {
  using namespace warpmeter;
  static const ParquetModule module = {
      WARPMETER_VERSION, arrow::GetBuildInfo().version_string.c_str(),
      [](ByteSink& sink, const RecordLayout& layout) -> OneByOneWriter* { return new RecordFileWriter(sink, layout); },
      [](ByteSink& sink, RowsForm form, ArrowSchema& schema, unsigned threads) -> RowsWriter* {
        return new RowsFileWriter(sink, form, schema, threads);
      },
      [](const std::string& path, Descriptor file) -> RecordReader* {
        return new RecordFileReader(path, std::move(file));
      }};
  return &module;
}
