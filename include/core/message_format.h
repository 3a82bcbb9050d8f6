// A format of messages, such as IPFIX: Data Records are encoded in sections, on any thread, and put into messages for a
// sink on one. What depends on the messages before (Sequence Numbers, Export Time) is filled in there.
#pragma once

#include <memory>

#include "core/message_sink.h"
#include "core/process_statistics.h"
#include "core/record_writer.h"

namespace warpmeter {

// Messages for one sink, which it begins and ends.
class MessageWriter : public RecordWriter {
 public:
  // Takes records from the front of the section until the sink is full, but one at least; of none, none.
  virtual void fill(RecordSection& section) = 0;

  // Between appends: Options Records, where the format has them and was asked for them. Returns how many.
  virtual std::uint32_t write_statistics(const ProcessStatistics&) { return 0; }

  // Between appends: records that follow are of a sample of one flow of so many, if the layout has one that changes.
  virtual void tell_sample(std::uint32_t) {}
};

class MessageFormat : public RecordFormat {
 public:
  // Format and sink must outlive the writer. Of all writers of a format, one thread at a time.
  virtual std::unique_ptr<MessageWriter> new_writer(MessageSink& sink) const = 0;
};

}  // namespace warpmeter
