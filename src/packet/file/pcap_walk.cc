#include "packet/file/pcap_walk.h"

#include <algorithm>

namespace warpmeter::inline packet {
namespace {

// A limit is asked of every frame; who has none does without.
template <bool kSwapped, bool kLimited>
void walk_as(const PcapFormat format, const FileBytes bytes, std::uint64_t end, PcapWalk& walk,
             std::vector<Frame>& frames, std::size_t most) {
  std::uint64_t at = walk.at;
  walk.fault = PcapFault::none;
  std::size_t room = most - std::min(most, frames.size());
  for (; at < end && (!kLimited || room > 0); walk.at = at, --room) {
    const std::uint64_t left = bytes.end - at;
    if (at >= bytes.end || left < format.record_header) {
      walk.fault = PcapFault::header_cut_short;
      return;
    }
    const std::uint8_t* p = bytes.at(at);
    const PcapRecord record = read_pcap_record<kSwapped>(format, p);
    const std::uint64_t whole = std::uint64_t{format.record_header} + record.captured;
    if (is_odd_length(record.captured)) {
      if (begins_next_file(p)) {
        walk.fault = PcapFault::next_file;
        return;
      }
      if (record.captured > kMaxCaptured) {
        walk.fault = PcapFault::too_long;
        walk.captured = record.captured;
        return;
      }
      if (at >= walk.zeros_from && is_zero_header(format, p)) {
        walk.fault = PcapFault::zeros;
        return;
      }
    }
    if (whole > left) {
      walk.fault = PcapFault::record_cut_short;
      walk.captured = record.captured;
      return;
    }
    if (record.has_odd_fraction(format)) walk.odd_fraction = std::min(walk.odd_fraction, at);
    frames.push_back(frame_of(format, record, p));
    at += whole;
  }
}

}  // namespace

void walk_records(const PcapFormat& format, const FileBytes& bytes, std::uint64_t end, PcapWalk& walk,
                  std::vector<Frame>& frames, std::size_t most) {
  const bool limited = most != std::numeric_limits<std::size_t>::max();
  const auto walk_as_it_is = format.swapped ? (limited ? walk_as<true, true> : walk_as<true, false>)
                                            : (limited ? walk_as<false, true> : walk_as<false, false>);
  walk_as_it_is(format, bytes, end, walk, frames, most);
}

}  // namespace warpmeter::inline packet
