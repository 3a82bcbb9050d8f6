// Reads Flow Records from a Parquet file: those of RecordFileWriter come back as they were, what is null as absent or
// as not applicable; of files of others, the columns with these names, of any type that can hold them
// (column_cursor.h).
//
// Addresses are text, or 4 or 16 bytes (IPv4-mapped ones are IPv4). A file must have src_addr, dst_addr and protocol;
// other columns may be missing, ports and times are 0 then. Columns with other names are passed over, unless they are
// annotations (noted_columns.h): texts, and the list `labels`, which may also be a text.
//
// A file without its end (the footer) cannot be read at all: Error. A row group that makes no sense, or is too much for
// a file of its size (file_limits.h), is damage, and ends the reading there; its rows before that count. Memory: a
// batch of rows and the page of each column that it is in.
#pragma once

#include <arrow/io/file.h>
#include <arrow/memory_pool.h>
#include <arrow/status.h>
#include <parquet/api/reader.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/files/descriptor.h"
#include "core/noted_columns.h"
#include "core/record_reader.h"
#include "core/typed_columns.h"
#include "record/parquet/module/column_cursor.h"
#include "warpmeter/status.h"

namespace warpmeter::inline record {

// Memory for what a Parquet file says that it has. Headers of pages are believed before their pages are read, so that
// one wrong number in a small file would take gigabytes; none of them takes more than its limit, and all that is held
// at a time no more than that of the file.
//
// Threads: as the reader that has it; one.
class BoundedPool : public arrow::ProxyMemoryPool {
 public:
  BoundedPool() : ProxyMemoryPool(arrow::default_memory_pool()) {}

  // Of one piece of memory, and of all.
  void limit_piece(std::int64_t bytes) { most_of_piece_ = bytes; }
  void limit_all(std::int64_t bytes) { most_of_all_ = bytes; }

  using MemoryPool::Allocate;
  using MemoryPool::Reallocate;
  arrow::Status Allocate(std::int64_t size, std::int64_t alignment, std::uint8_t** out) override {
    ARROW_RETURN_NOT_OK(check(size, size));
    return ProxyMemoryPool::Allocate(size, alignment, out);
  }
  arrow::Status Reallocate(std::int64_t old_size, std::int64_t new_size, std::int64_t alignment,
                           std::uint8_t** at) override {
    ARROW_RETURN_NOT_OK(check(new_size, new_size - old_size));
    return ProxyMemoryPool::Reallocate(old_size, new_size, alignment, at);
  }

 private:
  arrow::Status check(std::int64_t size, std::int64_t more) const {
    if (size > most_of_piece_) {
      return arrow::Status::Invalid("a page of ", size, " bytes, more than its column can have");
    }
    if (more > most_of_all_ - bytes_allocated()) {
      return arrow::Status::Invalid("pages of ", bytes_allocated() + more,
                                    " bytes, more than such a small file can have");
    }
    return arrow::Status::OK();
  }

  std::int64_t most_of_piece_ = INT64_MAX, most_of_all_ = INT64_MAX;
};

inline std::shared_ptr<arrow::io::RandomAccessFile> open_file(const std::string& path, Descriptor file) {
  if (!file) throw Error(path + ": cannot be read: " + std::strerror(errno));
  struct stat status {};
  if (fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    throw Error(path + ": is no file; Parquet is read from its end");
  }
  auto opened = arrow::io::ReadableFile::Open(file.release());
  if (!opened.ok()) throw Error(path + ": cannot be read: " + opened.status().message());
  return *opened;
}

// Of the file, whose footer is no larger than it may be. (Arrow says what is wrong with one that is not there.)
inline std::int64_t checked_size(arrow::io::RandomAccessFile& file, const std::string& path) {
  std::uint8_t end[8] = {};  // the size of the footer, little-endian, and PAR1
  const std::int64_t size = file.GetSize().ValueOr(0);
  if (size < static_cast<std::int64_t>(sizeof end)) return size;
  const auto read = file.ReadAt(size - static_cast<std::int64_t>(sizeof end), sizeof end, end);
  if (!read.ok()) throw Error(path + ": cannot be read: " + read.status().message());
  std::uint32_t footer = 0;
  for (int i = 3; i >= 0; --i) footer = footer << 8 | end[i];
  if (footer < size && footer > most_of_footer(size)) {
    throw Error(path + ": a footer of " + std::to_string(footer) + " bytes, more than such a small file can have");
  }
  return size;
}

class RecordFileReader : public RecordReader {
 public:
  RecordFileReader(const std::string& path, Descriptor file);  // without one, errno says why
  bool next(Biflow& flow) override;
  RecordLayout layout() const override { return layout_; }
  const std::optional<ReadDamage>& damage() const override { return damage_; }
  bool leaves_out_columns() const override { return noted_columns_.left_out(); }

 private:
  // A column that the file has.
  struct Source {
    TypedColumn column;
    int number;  // in the file
    Holds holds;
    std::optional<std::uint32_t> noted;    // in noted_columns_
    std::unique_ptr<ColumnCursor> cursor;  // in the row group
  };
  // What a row's columns said, beside its values.
  struct Seen {
    std::uint32_t forward = 0, reverse = 0;  // counters that were not null
    bool reverse_time = false;
    std::uint8_t destination_version = 0;
    bool raw = false;  // both addresses came as 16 bytes
  };

  void find_columns(const std::string& path);
  void find_annotations();
  void find_annexes();
  bool open_next_group();
  void check_rows(std::int64_t rows);
  void bound_memory(const ::parquet::RowGroupMetaData& group);
  bool read_batch();
  void read_rows(std::size_t rows);
  void fill(Source& source, std::size_t rows);
  void fill_annotations(Source& source, std::size_t rows);
  void fill_annex(Source& source, std::size_t rows);
  void set_number(const Source& source, std::size_t row, std::int64_t value);
  void set_address(const Source& source, std::size_t row, std::span<const std::uint8_t> bytes);
  void finish(std::size_t row);
  void set_damage(const std::string& reason);

  BoundedPool pool_;               // of all below
  std::int64_t rows_allowed_ = 0;  // in the row groups to come
  std::unique_ptr<::parquet::ParquetFileReader> file_;
  std::vector<Source> sources_;
  RecordLayout layout_;
  std::optional<ReadDamage> damage_;
  int group_ = -1;
  std::int64_t rows_left_ = 0;   // of the row group
  std::uint64_t rows_read_ = 0;  // of the file, before the batch

  NotedColumns noted_columns_;
  std::int64_t texts_allowed_ = 0;  // in the lists to come

  std::vector<Biflow> batch_;
  std::vector<Seen> seen_;
  std::vector<Annotations> noted_;  // none without such columns
  std::size_t at_ = 0;              // in the batch
  std::size_t filled_ = 0;          // rows of the batch that have the column that is being read
};

}  // namespace warpmeter::inline record
