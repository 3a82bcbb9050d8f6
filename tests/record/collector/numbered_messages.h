// Messages that say who they are, and the collector's view of them.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/ipfix_header.h"
#include "support/byte_writer.h"

namespace warpmeter::test {

inline constexpr std::uint16_t kTemplateSet = 2, kDataSet = 256;

// A message of one Set that holds `number` and how many records it stands for, then `filling` bytes.
inline IpfixMessage numbered_message(std::uint32_t number, std::uint32_t records = 1, std::size_t filling = 0,
                                     std::uint16_t set = kDataSet, std::uint32_t domain = 1) {
  const std::size_t body = 4 + 8 + filling;
  ByteWriter to;
  to.u16(10).u16(kMessageHeader + body).u32(0).u32(0).u32(domain).u16(set).u16(body);
  return {to.u32(number).u32(records).zeros(filling).data(), records};
}

// The same, of records that an Options Template describes.
inline IpfixMessage message_of_options(std::uint32_t number, std::uint32_t records) {
  IpfixMessage message = numbered_message(number, records);
  message.options_records = records;
  return message;
}

inline std::vector<IpfixMessage> two_templates() {
  return {numbered_message(1000, 0, 0, kTemplateSet), numbered_message(1001, 3, 0, kTemplateSet)};
}

struct Received {
  std::uint16_t set;
  std::uint32_t export_time, sequence, domain, number, records;
};

inline Received parse_message(const std::uint8_t* at) {
  return {load_be16(at + 16), load_be32(at + 4),  load_be32(at + 8),
          load_be32(at + 12), load_be32(at + 20), load_be32(at + 24)};
}

// Takes whole messages off the front.
inline std::vector<Received> take_messages(Bytes& stream) {
  std::vector<Received> messages;
  std::size_t at = 0;
  while (stream.size() - at >= kMessageHeader && stream.size() - at >= load_be16(&stream[at + 2])) {
    messages.push_back(parse_message(&stream[at]));
    at += load_be16(&stream[at + 2]);
  }
  stream.erase(stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(at));
  return messages;
}

inline std::vector<std::uint32_t> numbers_of(const std::vector<Received>& messages, std::uint16_t set = kDataSet) {
  std::vector<std::uint32_t> numbers;
  for (const Received& message : messages) {
    if (message.set == set) numbers.push_back(message.number);
  }
  return numbers;
}

// Of one Transport Session, none lost.
inline bool sequence_is_right(const std::vector<Received>& messages) {
  std::map<std::uint32_t, std::uint32_t> next;
  for (const Received& message : messages) {
    if (message.sequence != next[message.domain]) return false;
    next[message.domain] += message.records;
  }
  return true;
}

inline std::vector<std::uint32_t> counted_to(std::uint32_t end) {
  std::vector<std::uint32_t> numbers(end);
  for (std::uint32_t i = 0; i < end; ++i) numbers[i] = i;
  return numbers;
}

}  // namespace warpmeter::test
