// What captures hold, as people and as programs read it.
#pragma once

#include <cstdint>
#include <string>

#include "command/info/capture_info.h"

namespace warpmeter::inline command {

// Several captures, one after the other.
struct CaptureTotal {
  std::uint64_t files = 0, damaged = 0, unreadable = 0;  // files: all that could be read, damaged ones too
  std::uint64_t passed_over = 0;                         // files of folders that are no captures
  std::uint64_t read_before = 0;                         // under another name
  std::uint64_t bytes = 0;
  FrameSums sums;

  void add(const CaptureInfo& info);
};

std::string capture_info_text(const CaptureInfo& info);
std::string capture_total_text(const CaptureTotal& total);
std::string capture_info_json(const CaptureInfo& info);  // one line

// "2023-11-14 22:13:20.000032560 UTC".
std::string exact_utc_text(std::int64_t ns);

}  // namespace warpmeter::inline command
