// A format of messages, such as IPFIX: Data Records are encoded in sections, on any thread, and put into messages for a
// sink on one. What depends on the messages before (Sequence Numbers, Export Time) is filled in there.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/message_sink.h"
#include "core/record_writer.h"

namespace warpmeter {

// What a Metering and an Exporting Process tell their collector about themselves: Options Records (RFC 7011, section
// 4). All counts are since the process began.
struct ProcessStatistics {
  std::int64_t now_ns = 0;       // since 1970 UTC
  std::uint32_t process_id = 0;  // of the Exporting Process

  std::uint64_t exported_messages = 0, exported_records = 0, exported_bytes = 0;  // Flow Records
  std::uint64_t not_sent_flows = 0;                                               // Flow Records that were lost

  std::uint64_t observed_flows = 0;
  std::uint64_t ignored_packets = 0, ignored_bytes = 0;

  // A place where packets are observed: a ring of an interface; or what an interface lost before they came to any.
  struct Point {
    std::uint64_t id = 0;
    std::string interface;
    std::uint64_t packets = 0;  // offered there, those that were lost included
    std::uint64_t dropped = 0;
  };
  std::vector<Point> points;
};

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
