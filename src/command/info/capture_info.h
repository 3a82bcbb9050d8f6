// `warpmeter info FILE...`: what captures hold, each on its own, and what sets of segment files hold.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "command/info/frame_sums.h"
#include "packet/file/capture_reader.h"
#include "packet/file/inputs.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {

// What the user asked of `warpmeter info FILE...`.
struct InfoOptions {
  std::vector<std::string> inputs;
  InputFormat input_format = InputFormat::automatic;  // of all inputs
  bool resync = false;                                // goes on behind damage
  bool recursive = false;                             // folders with all below them
  unsigned threads = 1;
  bool json = false;
  bool quiet = false;
};

// One capture.
struct CaptureInfo {
  std::string file;
  CaptureFacts facts;
  std::uint64_t bytes = 0;  // of the file on the disk, or what came from a pipe
  FrameSums sums;
  std::vector<Damage> damage;  // with --resync perhaps several, and not all places of it
  Skips skips;
  std::vector<OddFractions> odd_fractions;  // one or none
  std::string unreadable;                   // why it could not be read (further); empty: it could
  bool interrupted = false;                 // so there may be more in it
};

// Reads one capture. Throws Error if that cannot be begun.
CaptureInfo read_capture_info(const std::string& file, const InfoOptions& options,
                              const std::atomic<bool>& interrupted);

// Writes to standard output what every input holds, and with several what all of them hold. What cannot be read and
// what is damaged is told on standard error. Throws Error if nothing could be read.
ExitStatus capture_info(const InfoOptions& options, const std::atomic<bool>& interrupted);

// The same of sets of segment files (segment_info.cc): writes to standard output what each set says of itself, after
// all of its files that are given were read and checked; on standard error what is damaged: of the captures that it was
// decoded from too. Throws Error if one cannot be read.
ExitStatus segment_info(const std::vector<std::string>& files, const InfoOptions& options,
                        const std::atomic<bool>& interrupted);

// Several captures, one after the other.
struct CaptureTotal {
  std::uint64_t files = 0, damaged = 0, unreadable = 0;  // files: all that could be read, damaged ones too
  std::uint64_t passed_over = 0;                         // files of folders that are no captures
  std::uint64_t read_before = 0;                         // under another name
  std::uint64_t bytes = 0;
  FrameSums sums;

  void add(const CaptureInfo& info);
};

// As people (capture_info_text.cc) and as programs (capture_info_json.cc) read it.
std::string capture_info_text(const CaptureInfo& info);
std::string capture_total_text(const CaptureTotal& total);
std::string capture_info_json(const CaptureInfo& info);  // one line

// "2023-11-14 22:13:20.000032560 UTC".
std::string exact_utc_text(std::int64_t ns);

}  // namespace warpmeter::inline command
