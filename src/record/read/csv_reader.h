// CSV as the writer writes it, read back: the header says which columns there are (NamedColumns).
//
// Fields may be quoted and lines end with CR LF. The first line that makes no sense ends the file
// (RecordReader::damage); so does a last line without an end, of which digits may be missing.
#pragma once

#include <memory>

#include "record/read/flow_row.h"
#include "record/read/text_source.h"

namespace warpmeter::inline record {

class CsvReader : public RecordReader {
 public:
  // Reads the header. Throws Error if it is none of Flow Records.
  explicit CsvReader(std::unique_ptr<TextSource> text);
  bool next(Biflow& flow) override;
  RecordLayout layout() const override { return columns_.layout(); }
  const std::optional<ReadDamage>& damage() const override { return damage_; }

 private:
  bool read_fields(std::string_view line);
  bool take(std::size_t field, std::string_view text);

  const std::unique_ptr<TextSource> text_;
  NamedColumns columns_;
  FlowRow row_;
  std::string why_;
  std::optional<ReadDamage> damage_;
};

}  // namespace warpmeter::inline record
