// A format of files: its sections are the same for all files, each of which begins and ends by itself. The text formats
// are made here: CSV, JSON and the table for people.
#pragma once

#include <cstdint>
#include <memory>

#include "base/files/output_file.h"
#include "core/record_layout.h"
#include "core/record_writer.h"
#include "record/text/text_table.h"

namespace warpmeter::inline record {

enum class Format { csv, json, table, ipfix, parquet, zeek };

// A line a Flow Record, for programs.
constexpr bool is_lines(Format format) {
  return format == Format::csv || format == Format::json || format == Format::zeek;
}

// That a file of it begins with, before the first Flow Record.
constexpr int header_lines(Format format) { return format == Format::csv ? 1 : format == Format::zeek ? 7 : 0; }

// What is in one file. end() writes its last bytes; that the file gets its name then is for others.
class FormattedFile : public RecordWriter {
 public:
  // Takes records from the front of the section until the file has `full` bytes, but one at least; of none, none.
  virtual void fill(RecordSection& section, std::uint64_t full) = 0;
  void append(RecordSection& section) final { fill(section, UINT64_MAX); }

  // Between appends. Whether the file is valid where it ends now, without end(), once settle() was called.
  virtual bool may_be_cut() const { return false; }
  // Gives the file what is held, as far as it could go on behind it.
  virtual void settle() {}
  // At most so many bytes are held, and come with settle() and end(); with a section of `more` bytes, if it came now.
  virtual std::uint64_t most_to_come(std::uint64_t more) const { return more; }
};

class FileFormat : public RecordFormat {
 public:
  // Both must outlive what is returned. Of all files of a format, one thread at a time.
  virtual std::unique_ptr<FormattedFile> new_file(OutputFile& file) const = 0;
};

// The text formats of Flow Records.
//
// CSV: a header line, then a line a Flow Record; what does not apply is empty.
std::unique_ptr<FileFormat> make_csv_format(const RecordLayout& layout);

// JSON lines: one object a Flow Record, with the names of the CSV columns; what does not apply is null.
std::unique_ptr<FileFormat> make_json_format(const RecordLayout& layout);

// A table for people: the columns that a look at a terminal asks for, aligned (text_table.h).
std::unique_ptr<FileFormat> make_table_format(const RecordLayout& layout, TableStyle style = {});

// Of csv, json and table. REQUIRES: no other format.
inline std::unique_ptr<FileFormat> make_text_format(Format format, const RecordLayout& layout, TableStyle style = {}) {
  switch (format) {
    case Format::json: return make_json_format(layout);
    case Format::table: return make_table_format(layout, style);
    default: return make_csv_format(layout);
  }
}

}  // namespace warpmeter::inline record
