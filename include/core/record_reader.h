// Flow Records read back from a file, one at a time, in the order in which they stand there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/annotations.h"
#include "core/record_layout.h"
#include "warpmeter/biflow.h"

namespace warpmeter {

// Where a file stopped making sense. What was read before it counts.
struct ReadDamage {
  std::uint64_t offset = 0;  // bytes into the file; of text, where the line begins
  std::string reason;        // one line, such as "line 7: 'x' is no number"
};

class RecordReader {
 public:
  virtual ~RecordReader() = default;

  // False at the end, or at damage. Throws Error (naming the file) where the file cannot be read at all.
  virtual bool next(Biflow& flow) = 0;

  // Of what has been read so far; final only after next() returned false.
  virtual RecordLayout layout() const = 0;

  // After next() returned false: where and why reading ended early, if it did.
  virtual const std::optional<ReadDamage>& damage() const = 0;

  // The file has more columns of annotations than are read, as far as it has been read.
  virtual bool leaves_out_columns() const { return false; }

  // What is noted of the flow that next() gave last, both directions, for the columns of layout().extra
  // (noted_columns.h). Valid until next() is called again.
  const Annotations& annotations() const { return *annotations_; }

 protected:
  const Annotations* annotations_ = &kNoAnnotations;
};

}  // namespace warpmeter
