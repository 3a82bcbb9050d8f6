// A capture read to its end, with copies of all that it held.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "packet/file/capture_reader.h"
#include "packet/file/file_source.h"
#include "support/byte_writer.h"
#include "support/pipe.h"
#include "support/scratch_folder.h"

namespace warpmeter::test {

struct ReadFrame {
  std::int64_t time_ns;
  std::uint32_t original;
  std::uint16_t link;
  Bytes bytes;
};

struct ReadCapture {
  std::vector<ReadFrame> frames;
  std::optional<Damage> damage;
  std::vector<Damage> skipped;  // --resync
  Skips skips;
  std::optional<std::uint64_t> odd_fraction;
  std::uint64_t offset = 0;
};

inline std::vector<ReadFrame> copy_frames(const FrameBlock& block) {
  std::vector<ReadFrame> copies;
  for (const Frame& f : block.frames) {
    copies.push_back({f.time_ns, f.original, f.link, Bytes(f.data, f.data + f.captured)});
  }
  return copies;
}

// In blocks of `limit` frames.
inline ReadCapture read_all(CaptureReader& reader, std::size_t limit = 1000) {
  ReadCapture result;
  for (bool more = true; more;) {
    FrameBlock block;
    more = reader.read(block, limit);
    for (ReadFrame& frame : copy_frames(block)) result.frames.push_back(std::move(frame));
  }
  result.damage = reader.damage();
  result.skipped = reader.skipped();
  result.skips = reader.skips();
  result.odd_fraction = reader.odd_fraction();
  result.offset = reader.offset();
  return result;
}

inline ReadCapture read_file(const std::string& path, std::size_t limit, const CaptureOptions& options) {
  const std::atomic<bool> stop = false;
  return read_all(*open_capture(path, stop, options), limit);
}

inline ReadCapture read_file(const std::string& path, std::size_t limit = 1000,
                             InputFormat format = InputFormat::automatic) {
  return read_file(path, limit, CaptureOptions{.format = format});
}

inline ReadCapture read_bytes(const Bytes& file, std::size_t limit = 1000,
                              InputFormat format = InputFormat::automatic) {
  const ScratchFolder folder;
  return read_file(folder.write("capture", file), limit, format);
}

// As it comes through a pipe.
inline ReadCapture read_piped(const Bytes& file, const CaptureOptions& options = {}, std::size_t piece = 4000) {
  const std::atomic<bool> stop = false;
  const FedPipe pipe(file, piece);
  auto source = std::make_unique<PipeSource>(pipe.read_end(), "pipe", stop);
  ChainedReader reader("pipe", read_capture("pipe", std::move(source), options), options);
  return read_all(reader);
}

}  // namespace warpmeter::test
