// An output that goes on behind the last record of one export.
#pragma once

#include "core/record_writer.h"

namespace warpmeter::inline command {

class ContinuedOutput : public RecordWriter {
 public:
  explicit ContinuedOutput(RecordWriter& output) : output_(output) {}
  const RecordFormat& format() const override { return output_.format(); }
  void append(RecordSection& section) override { output_.append(section); }

 private:
  RecordWriter& output_;
};

}  // namespace warpmeter::inline command
