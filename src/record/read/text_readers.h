// CSV and JSON as the writers write them, read back. The first line that makes no sense ends the file
// (RecordReader::damage).
//
// Threads: one. Errors: Error where the file is none of Flow Records, or cannot be read.
#pragma once

#include <memory>

#include "record/read/flow_row.h"
#include "record/read/text_source.h"

namespace warpmeter::inline record {

// CSV: the header says which columns there are (NamedColumns). Fields may be quoted and lines end with CR LF. A last
// line without an end, of which digits may be missing, makes no sense either.
class CsvReader : public RecordReader {
 public:
  // Reads the header. Throws Error if it is none of Flow Records.
  explicit CsvReader(std::unique_ptr<TextSource> text);
  bool next(Biflow& flow) override;
  RecordLayout layout() const override { return columns_.layout(); }
  const std::optional<ReadDamage>& damage() const override { return damage_; }
  bool leaves_out_columns() const override { return columns_.noted().left_out(); }

 private:
  bool read_fields(std::string_view line);
  bool take(std::size_t field, std::string_view text);
  bool note(std::size_t field, std::string_view text);

  const std::unique_ptr<TextSource> text_;
  NamedColumns columns_;
  FlowRow row_;
  Annotations noted_;
  std::string why_;
  std::optional<ReadDamage> damage_;
};

// JSON lines: an object a Flow Record. Numbers may also be strings of numbers; null and what is not there is no value;
// other members are passed over, but for annotations: those of texts, of an object with a member `labels`,
// and that, a text or a list of texts (noted_columns.h).
class JsonReader : public RecordReader {
 public:
  explicit JsonReader(std::unique_ptr<TextSource> text);
  ~JsonReader() override;
  bool next(Biflow& flow) override;
  // Whatever records do not have they say themselves.
  RecordLayout layout() const override { return layout_; }
  const std::optional<ReadDamage>& damage() const override { return damage_; }
  bool leaves_out_columns() const override;

 private:
  class Members;

  const std::unique_ptr<TextSource> text_;
  const std::unique_ptr<Members> members_;
  RecordLayout layout_;
  FlowRow row_;
  Annotations noted_;
  std::optional<ReadDamage> damage_;
};

}  // namespace warpmeter::inline record
