// Formats without a magic number are recognised by their first records: each must look right, and the next one begin
// where it ends. Chance does not do that several times in a row, nor end exactly where the file does.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>

#include "packet/file/byte_source.h"

namespace warpmeter::inline packet {

// What a format makes of the bytes where a record may begin.
struct RecordLook {
  std::size_t size;                     // of the whole record, in bytes
  std::optional<std::int64_t> time_ns;  // since 1970; nothing for padding, which proves nothing
};

inline constexpr int kChainPackets = 4;                       // so many are enough
inline constexpr std::size_t kChainBytes = 1 << 20;           // nobody looks further
inline constexpr std::int64_t kChainNs = 86'400'000'000'000;  // from the first packet's time
// 1990: no capture is older, much of what is none seems so.
inline constexpr std::int64_t kChainEarliest = 631'152'000'000'000'000;

// `look(p, left)` returns a RecordLook for the record at `p`, of which `left` bytes are there (at least `header`), or
// nothing if it is none. Fewer packets than kChainPackets do if they fill the file, but for less than a header. None is
// from before `earliest_ns`.
template <class Look>
bool begins_record_chain(ByteSource& source, std::size_t header, Look look, std::int64_t earliest_ns = kChainEarliest) {
  std::optional<std::int64_t> first;
  int packets = 0;
  for (std::size_t at = 0; at < kChainBytes && packets < kChainPackets;) {
    if (!source.need(at + header)) return packets > 0;
    const std::optional<RecordLook> record = look(source.at() + at, source.left() - at);
    if (!record || !source.need(at + record->size)) return false;
    if (!look(source.at() + at, source.left() - at)) return false;  // now that all of it is there
    at += record->size;
    if (!record->time_ns) continue;
    if (!first) first = record->time_ns;
    if (*record->time_ns < earliest_ns || std::abs(*record->time_ns - *first) > kChainNs) return false;
    ++packets;
  }
  return packets > 0;
}

}  // namespace warpmeter::inline packet
