// JSON lines as the writer writes them, read back: an object a Flow Record.
//
// Numbers may also be strings of numbers; null and what is not there is no value; other members are passed over. The
// first line that makes no sense ends the file (RecordReader::damage).
#pragma once

#include <memory>

#include "record/read/flow_row.h"
#include "record/read/text_source.h"

namespace warpmeter::inline record {

class JsonReader : public RecordReader {
 public:
  explicit JsonReader(std::unique_ptr<TextSource> text);
  ~JsonReader() override;
  bool next(Biflow& flow) override;
  // Whatever records do not have they say themselves.
  RecordLayout layout() const override { return layout_; }
  const std::optional<ReadDamage>& damage() const override { return damage_; }

 private:
  class Members;

  const std::unique_ptr<TextSource> text_;
  const std::unique_ptr<Members> members_;
  RecordLayout layout_;
  FlowRow row_;
  std::optional<ReadDamage> damage_;
};

}  // namespace warpmeter::inline record
