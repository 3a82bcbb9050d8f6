// The oracle's front door: captures in, the CSV out. It shares no code with the program it judges and has no threads,
// batches or limits, so that what it says follows from the definitions alone.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "bytes.h"
#include "capture.h"
#include "reference_options.h"

namespace reference {

struct Summary {
  int64_t frames = 0;
  int64_t metered = 0;
  int64_t flows = 0;  // before any aggregation
  std::map<Ignored, int64_t> ignored;
  int64_t short_transport_headers = 0;
  int64_t malformed_segments = 0;
};

struct Extraction {
  std::string csv;
  Summary summary;
  std::vector<Damage> damage;  // at most one a capture
};

// Several captures are one trace in the given order. Throws NotACapture.
Extraction extract(std::span<const std::vector<uint8_t>> captures, const Options& options);

// One capture, its CSV only. What came before any damage counts. Throws NotACapture.
std::string flow_csv(std::span<const uint8_t> capture, const Options& options);

}  // namespace reference
