#include "capture/pcap_cursors.h"

#include <vector>

#include "warpmeter/prefetch.h"

namespace warpmeter {
namespace {

constexpr std::uint64_t kCacheLine = 64;

bool is_done(const PcapCursor& cursor) { return cursor.at >= cursor.end || cursor.fault != PcapFault::none; }

template <bool kSwapped>
class Walker {
 public:
  explicit Walker(const PcapBytes& bytes) : format_(bytes.format), data_(bytes.data), size_(bytes.size) {}

  // One pcap record; false once the cursor is done. `kAlone`: nobody else has a turn until the next one.
  template <bool kAlone>
  bool step(PcapCursor& cursor) const {
    const std::uint64_t left = size_ - cursor.at;
    if (left < format_.record_header) return stop(cursor, PcapFault::header_cut_short);
    const std::uint8_t* p = data_ + cursor.at;
    const PcapRecord record = read_pcap_record<kSwapped>(format_, p);
    const std::uint64_t whole = std::uint64_t{format_.record_header} + record.captured;
    if (record.captured > kMaxCaptured) return stop(cursor, PcapFault::too_long);
    if (whole > left) return stop(cursor, PcapFault::record_cut_short);
    // Alone, the next header is needed at once; but the one after it, if both are as long as this one, is on the way.
    // With it the packet headers behind, which decoding will want.
    const std::uint8_t* ahead = p + (kAlone ? 2 : 1) * whole;
    prefetch(ahead);
    prefetch(ahead + kCacheLine);
    cursor.block->frames.push_back(frame_of(format_, record, p));
    cursor.at += whole;
    return cursor.at < cursor.end;
  }

 private:
  static bool stop(PcapCursor& cursor, PcapFault fault) {
    cursor.fault = fault;
    return false;
  }

  const PcapFormat format_;
  const std::uint8_t* const data_;
  const std::uint64_t size_;
};

template <bool kSwapped>
void walk_all(const PcapBytes& bytes, std::span<PcapCursor> cursors) {
  const Walker<kSwapped> walker(bytes);
  std::vector<PcapCursor*> live;
  for (PcapCursor& cursor : cursors) {
    if (!is_done(cursor)) live.push_back(&cursor);
  }
  while (live.size() > 1) {
    std::size_t left = 0;
    for (PcapCursor* cursor : live) {
      if (walker.template step<false>(*cursor)) live[left++] = cursor;
    }
    live.resize(left);
  }
  if (live.empty()) return;
  while (walker.template step<true>(*live.front())) {
  }
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
