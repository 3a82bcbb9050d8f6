// Puts Data Records into Sets and Sets into IPFIX Messages of at most so many octets, and hands these to a sink.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/message_format.h"

namespace warpmeter::inline record {

class MessageBuilder {
 public:
  // `sink` must outlive it.
  MessageBuilder(MessageSink& sink, std::uint32_t domain);

  // Where a record of `octets` goes, to be filled before the next call. Sends the message that it does not fit into.
  // Throws Error if it fits into none.
  std::uint8_t* room(std::uint16_t template_id, std::size_t octets, std::int64_t end_ns);

  // As well, of a record that an Options Template describes.
  std::uint8_t* room_of_options(std::uint16_t template_id, std::size_t octets);

  // Sends what is there.
  void flush();

  // Of the message that is being built: the second of the latest end_ns so far, whatever message it came with.
  std::uint32_t export_time() const;

 private:
  void start_message();
  void close_set();

  MessageSink& sink_;
  const std::uint32_t domain_;
  const std::size_t largest_;
  IpfixMessage message_;  // as large as it may get
  std::size_t fill_ = 0;  // octets of it; 0 if none was started
  std::size_t set_ = 0;   // where the Set begins that is being filled
  std::uint16_t template_id_ = 0;
  std::int64_t latest_ns_ = 0;
};

}  // namespace warpmeter::inline record
