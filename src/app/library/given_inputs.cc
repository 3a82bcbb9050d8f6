#include "app/library/given_inputs.h"

#include <fmt/format.h>

#include <cstdint>

#include "packet/file/limits.h"
#include "warpmeter/link_type.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace {

constexpr std::int64_t kMostTime = std::int64_t{1} << 62;

void check(const Frame& frame) {
  if (frame.link != kUnknownLink && !is_known_link(frame.link)) {
    throw Error(fmt::format("a frame has link type {}, which is not decoded", frame.link));
  }
  if (frame.captured > kMaxCaptured) {
    throw Error(fmt::format("a frame has {} bytes: more than {}", frame.captured, kMaxCaptured));
  }
  if (frame.time_ns < -kMostTime || frame.time_ns >= kMostTime) {
    throw Error(fmt::format("a frame has the time {} ns, out of range", frame.time_ns));
  }
}

}  // namespace

bool FeedSource::claim(Chunk& chunk, const ChunkOptions&) {
  if (ended_ || stop_.load(std::memory_order_relaxed)) return false;
  ended_ = !feed_(chunk.block) || chunk.block.frames.empty();
  for (const Frame& frame : chunk.block.frames) check(frame);
  return !chunk.block.frames.empty();
}

bool FeedSource::commit(Chunk& chunk, FileView&) {
  std::uint64_t bytes = 0;
  for (const Frame& frame : chunk.block.frames) bytes += frame.captured;
  number(chunk, chunk.block.frames.size(), bytes);
  return true;
}

}  // namespace warpmeter
