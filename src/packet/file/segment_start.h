// How a segment file begins (docs/segment-files.md), for those who meet one where they look for something else.
//
// Threads: any.
#pragma once

#include <string_view>

namespace warpmeter::inline packet {

inline constexpr std::string_view kSegmentStart("WMSEG\r\n\x1a", 8);

inline bool is_segment_start(std::string_view begin) { return begin.starts_with(kSegmentStart); }

}  // namespace warpmeter::inline packet
