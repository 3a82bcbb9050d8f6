#include "capture/pcap_walk.h"

#include "warpmeter/prefetch.h"

namespace warpmeter {
namespace {

constexpr std::uint64_t kCacheLine = 64;

template <bool kSwapped>
void walk_records(const PcapFormat format, const FileBytes bytes, std::uint64_t end, PcapWalk& walk,
                  std::vector<Frame>& frames) {
  std::uint64_t at = walk.at;
  walk.fault = PcapFault::none;
  for (; at < end; walk.at = at) {
    const std::uint64_t left = bytes.end - at;
    if (at >= bytes.end || left < format.record_header) {
      walk.fault = PcapFault::header_cut_short;
      return;
    }
    const std::uint8_t* p = bytes.at(at);
    const PcapRecord record = read_pcap_record<kSwapped>(format, p);
    const std::uint64_t whole = std::uint64_t{format.record_header} + record.captured;
    if (is_odd_length(record.captured)) [[unlikely]] {
      if (begins_next_file(p)) {
        walk.fault = PcapFault::next_file;
        return;
      }
      if (record.captured > kMaxCaptured) {
        walk.fault = PcapFault::too_long;
        walk.captured = record.captured;
        return;
      }
    }
    if (whole > left) {
      walk.fault = PcapFault::record_cut_short;
      return;
    }
    // The next header is needed at once; but the one after it, if both are as long as this one, is on the way. With it
    // the packet headers behind, which decoding will want.
    prefetch(p + 2 * whole);
    prefetch(p + 2 * whole + kCacheLine);
    frames.push_back(frame_of(format, record, p));
    at += whole;
  }
}

}  // namespace

void walk(const PcapFormat& format, const FileBytes& bytes, std::uint64_t end, PcapWalk& walk,
          std::vector<Frame>& frames) {
  if (format.swapped) walk_records<true>(format, bytes, end, walk, frames);
  else walk_records<false>(format, bytes, end, walk, frames);
}

}  // namespace warpmeter
