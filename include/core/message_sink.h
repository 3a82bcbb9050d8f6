// Where finished IPFIX Messages go: a file, or a collector over UDP or TCP. From one thread.
//
// Messages are complete (RFC 7011, section 3) but for the Sequence Number, which depends on the Transport Session and
// is the sink's to fill in. Sinks that send to a collector also put in the time of sending as Export Time; in files it
// stays as the writer set it, from packet time, so that the same input gives the same file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace warpmeter {

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

}  // namespace warpmeter
