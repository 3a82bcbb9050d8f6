// Parquet files of Flow Records, written and read through Apache Arrow C++ (src/record/parquet/module has the columns).
//
// Arrow is 60 MB of shared libraries, whose relocation would cost every start of the program 10 to 40 ms. So it is in a
// module, libwarpmeter_parquet.so, that is loaded when the first Parquet file is written or read, and stays. It lies
// beside the program, or in ../lib/warpmeter (Debian: ../lib/ARCHITECTURE/warpmeter) once that is installed. Builds
// without Arrow have no module.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/files/descriptor.h"
#include "core/byte_sink.h"
#include "core/one_by_one_writer.h"
#include "core/record_layout.h"
#include "core/record_reader.h"
#include "warpmeter/arrow_c_data.h"

namespace warpmeter::inline record {

// For `warpmeter info`: what there is, or why Parquet cannot be had.
std::string parquet_support();

// Throws Error if Parquet was not built in or the module cannot be loaded: to know it before hours of metering.
void require_parquet();

// `sink` must outlive the writer; it is only appended to. A row group (kRowsInGroup of module/record_file_writer.h) is
// held in memory, compressed; flush() ends it, if it has rows. Its Errors are those of the sink. Throws Error like
// require_parquet().
std::unique_ptr<OneByOneWriter> make_parquet_writer(ByteSink& sink, const RecordLayout& layout);

// Rows of columns that are not those of Flow Records. One thread.
class RowsWriter {
 public:
  virtual ~RowsWriter() = default;
  // A struct array of the fields of the schema, which is taken over. Throws Error.
  virtual void append(ArrowArray& rows) = 0;
  // Once, last. Throws Error.
  virtual void end() = 0;
};
enum class RowsForm : std::uint8_t { parquet, arrow };  // arrow: an Arrow file (IPC), which is no stream of these

// Texts that repeat may come to Parquet as bytes of one size, of Arrow's format w:SIZE: addresses as the IP version and
// 16 bytes (w:17), words of other sizes with zeros behind them. That saves to write each, and to tell which are the
// same.
constexpr std::string_view kAddressKeys = "w:17", kWordKeys = "w:16";

// Takes over the schema, which is that of a struct; up to `threads` encode. `sink` must outlive the writer; it is only
// appended to. Throws Error like require_parquet().
std::unique_ptr<RowsWriter> make_rows_writer(ByteSink& sink, RowsForm form, ArrowSchema& schema, unsigned threads);

// What the writer wrote, and files of others with columns of these names: see module/record_file_reader.h. Throws Error
// like require_parquet(), and where the file cannot be read at all.
std::unique_ptr<RecordReader> make_parquet_reader(const std::string& path);

// What the program and libwarpmeter_parquet.so know of each other: one function with a plain name, kModuleEntry.
//
// Objects cross by their virtual functions, Errors as exceptions; both sides use the same C++ library.
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
