// What the program and libwarpmeter_parquet.so know of each other: one function with a plain name, kModuleEntry.
//
// Objects cross by their virtual functions, Errors as exceptions; both sides use the same C++ library.
#pragma once

#include <string>

#include "base/files/descriptor.h"
#include "core/byte_sink.h"
#include "core/one_by_one_writer.h"
#include "core/record_layout.h"
#include "core/record_reader.h"
#include "record/parquet/parquet_files.h"

namespace warpmeter::inline record {

struct ParquetModule {
  const char* version;        // of warpmeter; the program takes no module but its own
  const char* arrow_version;  // of the Arrow that it runs with
  // The caller owns what they return.
  OneByOneWriter* (*make_writer)(ByteSink& sink, const RecordLayout& layout);
  RowsWriter* (*make_rows_writer)(ByteSink& sink, RowsForm form, ArrowSchema& schema, unsigned threads);
  RecordReader* (*make_reader)(const std::string& path, Descriptor file);  // without one, errno says why
};

inline constexpr const char* kModuleFile = "libwarpmeter_parquet.so";
inline constexpr const char* kModuleEntry = "warpmeter_parquet_module";
using ModuleEntry = const ParquetModule* (*)();

}  // namespace warpmeter::inline record
