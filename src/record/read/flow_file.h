// One file of Flow Records, whatever its format, that has been looked into: its first flow has been read.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "core/record_reader.h"

namespace warpmeter::inline record {

class FlowFile {
 public:
  explicit FlowFile(std::unique_ptr<RecordReader> reader);
  // "-" is standard input. Throws CaptureError (it cannot be opened, or holds none), or Error (usage). Once
  // `interrupted` turns true, the file ends.
  static FlowFile open(const std::string& path, const std::atomic<bool>& interrupted);

  // Until next() has given it: the first flow, null if there is none.
  const Biflow* first() const { return has_first_ ? &first_ : nullptr; }

  // False at the end, or at damage. What the file does not have is absent from each flow. Throws Error.
  bool next(Biflow& flow);

  // As of the reader.
  RecordLayout layout() const { return reader_->layout(); }
  const std::optional<ReadDamage>& damage() const { return reader_->damage(); }

 private:
  std::unique_ptr<RecordReader> reader_;
  Biflow first_;
  bool has_first_;
};

}  // namespace warpmeter::inline record
