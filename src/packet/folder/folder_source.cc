#include "packet/folder/folder_source.h"

#include <algorithm>
#include <utility>

namespace warpmeter::inline packet {
namespace {

constexpr std::chrono::milliseconds kLongestWait{20};  // for a file

// Behind a round, chunks without frames that tell of a time long ago: no flow ends by that, but those that have ended
// are handed on, where another time lets them wait for more. As many as a batch may have chunks.
constexpr unsigned kPushes = 64;
constexpr std::chrono::nanoseconds kLongAgo = std::chrono::hours(24);

std::int64_t steady_ns() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

struct FolderSource::FolderChunk : TraceChunk {
  void clear() override {
    TraceChunk::clear();
    round.reset();
    pushes = false;
    is_committed = false;
    seen_ns = INT64_MIN;
  }

  std::shared_ptr<FolderRound> round;  // null: no frames, time is told
  bool pushes = false;
  bool is_committed = false;
  std::int64_t seen_ns = INT64_MIN;  // the latest of the frames that were read
};

FolderSource::FolderSource(GrowingFolder& folder, std::chrono::nanoseconds tell_every)
    : folder_(folder), tell_every_(tell_every) {}

FolderSource::~FolderSource() = default;

std::unique_ptr<Chunk> FolderSource::make_chunk() const { return std::make_unique<FolderChunk>(); }

bool FolderSource::claim(Chunk& any_chunk, const ChunkOptions& options) {
  auto& chunk = static_cast<FolderChunk&>(any_chunk);
  const bool over = folder_.is_over();  // also says when to give up
  if (claim_in_round(chunk, options)) return true;
  if (pushes_left_ > 0) {
    --pushes_left_;
    return chunk.pushes = true;
  }
  if (folder_.wants_pause(std::exchange(behind_round_, false))) return false;
  round_ = folder_.next_round();
  if (claim_in_round(chunk, options)) return true;
  if (over) return false;
  folder_.wait(kLongestWait);
  return true;  // without frames
}

bool FolderSource::claim_in_round(FolderChunk& chunk, const ChunkOptions& options) {
  if (!round_) return false;
  const bool more = round_->trace->claim(chunk, options);
  folder_.claimed(*round_, !more);
  if (more) chunk.round = round_;
  else round_.reset();
  if (!more) {
    pushes_left_ = kPushes;
    behind_round_ = true;
  }
  return more;
}

bool FolderSource::read(Chunk& any_chunk, FileView& view) {
  auto& chunk = static_cast<FolderChunk&>(any_chunk);
  if (!chunk.round) {
    if (std::exchange(chunk.shown, true)) return false;
    if (chunk.is_committed) tell_time(chunk);
    return true;
  }
  if (!Trace::read(chunk, view)) return false;
  look_at_times(chunk);
  if (chunk.is_committed) folder_.has_given(chunk.seen_ns);
  const std::int64_t now = steady_ns();
  const bool due = chunk.seen_ns != INT64_MIN && now - told_.load(std::memory_order_relaxed) >= tell_every_.count();
  if (due) told_.store(now, std::memory_order_relaxed);
  chunk.block.watermark_ns = due ? chunk.seen_ns - kSlack.count() : FrameBlock::kNothingPassed;
  return true;
}

void FolderSource::look_at_times(FolderChunk& chunk) {
  std::int64_t seen_ns = chunk.seen_ns;
  const Frame* frame = chunk.block.frames.data();  // iterators are calls in what is optimized little
  for (const Frame* const end = frame + chunk.block.frames.size(); frame != end; ++frame) {
    if (frame->time_ns > seen_ns) seen_ns = frame->time_ns;
  }
  chunk.seen_ns = seen_ns;
}

// All that came before is committed.
void FolderSource::tell_time(FolderChunk& chunk) {
  const std::int64_t latest_ns = folder_.latest_ns();
  if (latest_ns == INT64_MIN) return;
  chunk.block.watermark_ns = latest_ns - kSlack.count() - (chunk.pushes ? kLongAgo.count() : 0);
}

bool FolderSource::commit(Chunk& any_chunk, FileView& view) {
  auto& chunk = static_cast<FolderChunk&>(any_chunk);
  if (!chunk.round) {
    number(chunk, 0, 0);
    chunk.shown = false;
    chunk.is_committed = true;
    return false;  // the time is known now
  }
  const std::shared_ptr<FolderRound> round = chunk.round;  // a chunk that is void is cleared
  const bool right = round->trace->commit(chunk, view);
  chunk.round = round;
  number(chunk, chunk.frames, chunk.bytes_read);
  if (!right) chunk.seen_ns = INT64_MIN;  // of a wrong guess, or of none
  chunk.is_committed = true;
  folder_.committed(*round, chunk.seen_ns);
  return right;
}

}  // namespace warpmeter::inline packet
