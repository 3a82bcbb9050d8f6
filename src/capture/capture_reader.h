// A capture file as frames. One implementation a format; open_capture() chooses by content, never by name.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "warpmeter/frame.h"

namespace warpmeter {

// Where a file stopped making sense. What came before counts.
struct Damage {
  std::string file;
  std::uint64_t offset;  // bytes from the beginning of the file
  std::string reason;
};

class StretchedPcap;

class CaptureReader {
 public:
  virtual ~CaptureReader() = default;

  // Appends frames until the block holds `limit`. False once the file has ended or is damaged.
  // Throws Error if the file cannot be read at all (only unknown link types, a read error).
  virtual bool read(FrameBlock& block, std::size_t limit) = 0;

  // What is still to be read, for several threads at once; null if the file can only be read from first to last frame.
  virtual std::shared_ptr<StretchedPcap> in_stretches() const { return nullptr; }

  virtual std::uint64_t offset() const = 0;  // bytes read so far
  virtual std::uint64_t size() const = 0;    // 0 if unknown

  const std::optional<Damage>& damage() const { return damage_; }

 protected:
  std::optional<Damage> damage_;
};

// Throws Error: cannot be opened, empty, not a capture, unknown link type.
std::unique_ptr<CaptureReader> open_capture(const std::string& path, const std::atomic<bool>& stop);

// Does this file begin like a capture?
bool looks_like_capture(const std::string& path);

}  // namespace warpmeter
