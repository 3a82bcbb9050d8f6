// A format of messages, such as IPFIX: Data Records are encoded in sections, on any thread, and put into messages for a
// sink on one. What depends on the messages before (Sequence Numbers, Export Time) is filled in there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/record_writer.h"

namespace warpmeter {

// Where finished IPFIX Messages go: a file, or a collector over UDP or TCP. From one thread.
//
// Messages are complete (RFC 7011, section 3) but for the Sequence Number, which depends on the Transport Session and
// is the sink's to fill in. Sinks that send to a collector also put in the time of sending as Export Time; in files it
// stays as the writer set it, from packet time, so that the same input gives the same file.
struct IpfixMessage {
  std::vector<std::uint8_t> bytes;    // header and Sets, in network byte order
  std::uint32_t records = 0;          // Data Records in it, also those that Options Templates describe
  bool templates = false;             // came with add_templates()
  std::uint32_t options_records = 0;  // of the Data Records, those that Options Templates describe
  std::uint16_t replaces = 0;         // of messages that are kept and repeated: those with the same number; 0: none

  std::uint32_t flow_records() const { return records - options_records; }
};

// Among those that are repeated.
inline void keep(std::vector<IpfixMessage>& kept, IpfixMessage message) {
  if (message.replaces) std::erase_if(kept, [&](const auto& other) { return other.replaces == message.replaces; });
  kept.push_back(std::move(message));
}

class MessageSink {
 public:
  virtual ~MessageSink() = default;

  // Bytes that a message may have at most: 65,535, or what the path carries in one datagram.
  virtual std::size_t largest_message() const = 0;

  // Once, before the first send(): all Templates, Options Templates and type information that later messages need. The
  // sink keeps them and repeats them where the transport asks for it (UDP refresh, a new TCP connection, a new file).
  virtual void begin(std::vector<IpfixMessage> templates) = 0;

  // Between messages: a Template that was not foreseen, or what takes another's place (`replaces`), for messages that
  // follow. Goes out at once, and is kept and repeated like those of begin().
  virtual void add_templates(IpfixMessage message) = 0;

  // Takes the message over. May wait. Throws Error, naming the output, where going on makes no sense.
  virtual void send(IpfixMessage message) = 0;

  // No further record has to come: whoever has more goes on with another sink. All are taken even so.
  virtual bool full() const { return false; }

  // Once, after the last send(): nothing is held back any more. Throws Error.
  virtual void end() = 0;
};

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
