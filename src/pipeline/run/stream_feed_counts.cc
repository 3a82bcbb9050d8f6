#include "pipeline/run/stream_feed_counts.h"

#include <fmt/format.h>

#include "base/words/human_units.h"

namespace warpmeter::inline pipeline {

std::string streams_text(const StreamFeedCounts& counts) {
  const auto blocks_text = [](std::uint64_t blocks, std::uint64_t bytes) {
    return fmt::format("{} ({})", human_number_of(blocks, "block"), human_bytes(static_cast<double>(bytes)));
  };
  std::string text = fmt::format("{} connections, {}", counts.connections, blocks_text(counts.blocks, counts.bytes));
  const auto remark = [&](std::uint64_t blocks, std::uint64_t bytes, const char* why) {
    if (blocks) text += fmt::format("; {} {}", blocks_text(blocks, bytes), why);
  };
  remark(counts.dropped_blocks, counts.dropped_bytes, "dropped, since the detector was too slow");
  remark(counts.unread_blocks, counts.unread_bytes, "that no detector took");
  if (counts.early_blocks) text += fmt::format("; {} early, for want of memory", counts.early_blocks);
  if (counts.lost_segments) text += fmt::format("; {} segments lost between rings", counts.lost_segments);
  return text;
}

}  // namespace warpmeter::inline pipeline
