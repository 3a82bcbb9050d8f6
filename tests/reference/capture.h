// Pcap files as lists of frames: microseconds, nanoseconds and "modified" records, both byte orders, the swapped
// lengths of files before version 2.3, and those of AIX. Pcapng and compressed files are left to others: the oracle
// stays small.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bytes.h"

namespace reference {

// The file cannot be read at all: no pcap header, or a link type the oracle does not know.
class NotACapture : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Frame {
  int64_t time;      // ns since 1970
  uint32_t link;     // LINKTYPE_ number
  int64_t original;  // length on the wire
  Bytes bytes;       // what was captured; points into the file's bytes
};

// What follows `offset` in the file is lost, what came before counts.
struct Damage {
  size_t offset;
  std::string reason;
};

struct Capture {
  std::vector<Frame> frames;
  std::optional<Damage> damage;
};

// The frames point into `file`, which must outlive them. Throws NotACapture.
Capture read_capture(std::span<const uint8_t> file);

}  // namespace reference
