#include "capture/pcap_cursors.h"

#include <vector>

#include "warpmeter/prefetch.h"

namespace warpmeter {
namespace {

constexpr std::uint64_t kCacheLine = 64;

bool is_done(const PcapCursor& cursor) { return cursor.at >= cursor.end || cursor.fault != PcapFault::none; }

// One pcap record. `kAlone`: nobody else has a turn until the next one.
template <bool kSwapped, bool kAlone>
void step(const PcapBytes& bytes, const PcapFormat& format, PcapCursor& cursor) {
  const std::uint64_t left = bytes.size - cursor.at;
  if (left < format.record_header) {
    cursor.fault = PcapFault::header_cut_short;
    return;
  }
  const std::uint8_t* p = bytes.data + cursor.at;
  const PcapRecord record = read_pcap_record<kSwapped>(format, p);
  const std::uint64_t whole = std::uint64_t{format.record_header} + record.captured;
  if (record.captured > kMaxCaptured || whole > left) {
    cursor.fault = record.captured > kMaxCaptured ? PcapFault::too_long : PcapFault::record_cut_short;
    return;
  }
  // Alone, the next header is needed at once; but the one after it, if both are as long as this one, is on the way.
  // With it the packet headers behind, which decoding will want.
  const std::uint8_t* ahead = p + (kAlone ? 2 : 1) * whole;
  prefetch(ahead);
  prefetch(ahead + kCacheLine);
  cursor.block->frames.push_back(frame_of(format, record, p));
  cursor.at += whole;
}

template <bool kSwapped>
void walk_all(const PcapBytes& bytes, std::span<PcapCursor> cursors) {
  const PcapFormat format = bytes.format;
  std::vector<PcapCursor*> live;
  for (PcapCursor& cursor : cursors) {
    if (!is_done(cursor)) live.push_back(&cursor);
  }
  while (live.size() > 1) {
    for (std::size_t i = 0; i < live.size();) {
      step<kSwapped, false>(bytes, format, *live[i]);
      if (is_done(*live[i])) live.erase(live.begin() + static_cast<std::ptrdiff_t>(i));
      else ++i;
    }
  }
  if (live.empty()) return;
  PcapCursor& last = *live.front();
  while (!is_done(last)) step<kSwapped, true>(bytes, format, last);
}

}  // namespace

void walk(const PcapBytes& bytes, std::span<PcapCursor> cursors) {
  if (bytes.format.swapped) walk_all<true>(bytes, cursors);
  else walk_all<false>(bytes, cursors);
}

unsigned stitch(const PcapBytes& bytes, std::span<PcapCursor> cursors) {
  unsigned wrong = 0;
  for (std::size_t i = 1; i < cursors.size(); ++i) {
    const PcapCursor& before = cursors[i - 1];
    PcapCursor& cursor = cursors[i];
    if (before.fault == PcapFault::none && before.at == cursor.start) continue;
    ++wrong;
    cursor.block->frames.clear();
    cursor = {before.at, cursor.end, cursor.block, before.at, before.fault};
    walk(bytes, {&cursor, 1});
  }
  return wrong;
}

}  // namespace warpmeter
