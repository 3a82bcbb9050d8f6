// A stream of records in words, as a detector would read it (docs/streams.md).
#pragma once

#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

#include "command/reassemble/stream_record.h"

namespace warpmeter::test {

template <class Part>
Part taken_part(std::string_view& from) {
  Part part;
  if (from.size() < sizeof part) throw std::runtime_error("cut short");
  std::memcpy(&part, from.data(), sizeof part);
  from.remove_prefix(sizeof part);
  return part;
}

// Each record as a word or a few: "opened 1", "block 1: c0 abc s5 xy", "ended 1", "dropped 2, 30 bytes, 1 ends",
// "last 1". Throws where it is cut short.
inline std::string records_in_words(std::string_view left) {
  const auto header = taken_part<StreamsHeader>(left);
  if (header.magic != kStreamsMagic || header.version != kStreamsVersion || header.flags != 0) return "no stream";
  std::string words;
  while (!left.empty()) {
    const auto head = taken_part<StreamRecordHead>(left);
    std::string_view body = left.substr(0, head.bytes);
    if (body.size() < head.bytes) throw std::runtime_error("cut short");
    left.remove_prefix(head.bytes);
    switch (head.kind) {
      case StreamRecordKind::opened:
        words += "opened " + std::to_string(taken_part<OpenedRecord>(body).connection);
        break;
      case StreamRecordKind::block: {
        const auto block = taken_part<BlockRecord>(body);
        words += "block " + std::to_string(block.connection) + ':';
        std::string_view bytes = body.substr(block.sub_blocks * sizeof(SubBlockRecord));
        for (std::uint32_t i = 0; i < block.sub_blocks; ++i) {
          const auto sub = taken_part<SubBlockRecord>(body);
          words += (sub.side ? " s" : " c") + std::to_string(sub.offset) + ' ';
          words += sub.length > 40 ? std::to_string(sub.length) : std::string(bytes.substr(0, sub.length));
          bytes.remove_prefix(sub.length);
        }
        break;
      }
      case StreamRecordKind::ended: words += "ended " + std::to_string(taken_part<EndedRecord>(body).connection); break;
      case StreamRecordKind::last: words += "last " + std::to_string(taken_part<LastRecord>(body).connections); break;
      case StreamRecordKind::dropped: {
        const auto dropped = taken_part<DroppedRecord>(body);
        words += "dropped " + std::to_string(dropped.blocks) + ", " + std::to_string(dropped.bytes) + " bytes, " +
                 std::to_string(dropped.ends) + " ends";
        break;
      }
    }
    words += '\n';
  }
  return words;
}

}  // namespace warpmeter::test
