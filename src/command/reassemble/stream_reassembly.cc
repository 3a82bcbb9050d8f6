#include "command/reassemble/stream_reassembly.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "base/threads/in_threads.h"
#include "core/payload_batch.h"
#include "core/seeded_hash.h"
#include "flow/meter/huge_pages.h"
#include "pipeline/batches/decoded_batch.h"
#include "pipeline/batches/ordered_batches.h"
#include "stream/reassembly/reassembler.h"

namespace warpmeter::inline command {
namespace {

// These stay in a core's cache, and with no more bytes than that, which are read at once with those behind them, so do
// their bytes. Where there are several threads they go from core to core.
constexpr std::uint32_t kBatchFrames = 1024;
constexpr std::uint64_t kBatchBytes = 248 << 10;

// Its segments are listed by shard, if several consumers share them; their payload stays as long as it has them.
class StreamBatch : public LeasedBatch<PayloadBatch> {
 public:
  StreamBatch(const Decoder& decoder, StageClock& clock, bool shared)
      : LeasedBatch(decoder, clock, one_share<PayloadBatch>(kBatchFrames)), shared_(shared) {}

  void begin() {
    LeasedBatch::begin();
    captured_ = 0;
  }
  void add(const FrameBlock& block) {
    LeasedBatch::add(block);
    for (const Frame& frame : block.frames) captured_ += frame.captured;
  }
  void finish(std::uint64_t first_number) {
    const StageClock::Scope scope(*clock_, Stage::decode);
    LeasedBatch::finish(first_number);
    if (shared_) shares.front().list_by_shard();
  }

  // That its frames keep: all of the buffers that they lie in, of which they may fill little.
  std::uint64_t bytes() const { return std::max<std::uint64_t>(captured_, leases().size() * kLeased); }
  std::uint64_t last_number() const {
    const PayloadBatch& segments = shares.front();
    return segments.first_number + segments.frames - 1;
  }

 private:
  static constexpr std::uint64_t kLeased = 320 << 10;  // bytes, as buffers usually have

  const bool shared_;
  std::uint64_t captured_ = 0;
};

// The frames of the latest batches, as long as streams point into them: for one consumer.
class SpanWindow {
 public:
  void add(const StreamBatch& batch) {
    if (batch.leases().empty()) return;  // these stay
    kept_.push_back({batch.leases(), batch.last_number(), batch.bytes()});
    bytes_ += batch.bytes();
  }

  std::uint64_t bytes() const { return bytes_; }

  // Of the oldest frames. REQUIRES: there are some.
  std::uint64_t last_number() const { return kept_.front().last_number; }
  void drop_oldest() {
    bytes_ -= kept_.front().bytes;
    kept_.pop_front();
  }

 private:
  struct Kept {
    std::vector<Lease> leases;
    std::uint64_t last_number, bytes;
  };
  std::deque<Kept> kept_;
  std::uint64_t bytes_ = 0;
};

// All connections end, each channel's on one thread.
void end_connections(std::span<const std::unique_ptr<Reassembler>> shards, unsigned channels, unsigned threads) {
  std::int64_t latest_ns = Reassembler::kNoTime;
  for (const auto& shard : shards) latest_ns = std::max(latest_ns, shard->latest_ns());
  for_each_index(channels, threads, [&](std::size_t channel) {
    const auto first = static_cast<unsigned>(channel);
    for (unsigned i = first_shard_of(first, channels); i < first_shard_of(first + 1, channels); ++i) {
      shards[i]->end_all(latest_ns);
    }
  });
}

}  // namespace

class StreamReassembly::Work {
 public:
  Work(const ReassemblyOptions& options, PacketSource& source, std::span<StreamConsumer* const> channels)
      : threads_(options.threads),
        consumers_(options.threads == 1 ? 1 : static_cast<unsigned>(channels.size())),
        decoder_(options.decode, random_hash_seed()),
        span_window_(options.span_window),
        batches_(source, shape_of(options, consumers_), [&] { return StreamBatch(decoder_, clock_, consumers_ > 1); }) {
    if (options.streams.spans) windows_.resize(consumers_);
    for (unsigned consumer = 0; consumer < consumers_; ++consumer) {
      const auto shared = std::make_shared<SharedBuffers>(options.streams.block_size, memory_,
                                                          most_free_of(options.streams, consumers_));
      for (unsigned shard = first_of(consumer); shard < first_of(consumer + 1); ++shard) {
        StreamConsumer& channel = *channels[share_of(shard, channels.size())];
        shards_.push_back(std::make_unique<Reassembler>(of_one_shard(options.streams), channel, memory_, shared));
      }
    }
  }

  void run() {
    batches_.run([&](unsigned consumer, std::uint64_t first, std::uint64_t last) {
      const StageClock::Scope scope(clock_, Stage::meter);
      for (std::uint64_t b = first; b < last; ++b) take(consumer, batches_[b]);
    });
    end_connections(shards_, consumers_, threads_);
  }

  const DecodeCounters& decode_counters() const { return decode_counters_; }
  ReassemblyCounters counters() const {
    ReassemblyCounters sum;
    for (const auto& shard : shards_) sum.add(shard->counters());
    return sum;
  }

 private:
  static BatchShape shape_of(const ReassemblyOptions& options, unsigned consumers) {
    ChunkOptions chunk{.frames = kBatchFrames, .keep = true};
    if (options.threads == 1) chunk.bytes = kBatchBytes;
    return {.workers = options.threads,
            .slots = 2 * options.threads - 1,
            .consumers = consumers,
            .chunks = 1,
            .chunk = chunk};
  }

  unsigned first_of(unsigned consumer) const { return first_shard_of(consumer, consumers_); }

  void take(unsigned consumer, const StreamBatch& batch) {
    if (consumer == 0) decode_counters_.add(batch.counters);
    const PayloadBatch& segments = batch.shares.front();
    if (consumers_ == 1) reassemble(shards_, segments);
    else reassemble(shards_, segments, segments.of_shards(first_of(consumer), first_of(consumer + 1)));
    if (!windows_.empty()) keep_frames(consumer, batch);
  }

  void keep_frames(unsigned consumer, const StreamBatch& batch) {
    SpanWindow& window = windows_[consumer];
    window.add(batch);
    for (; window.bytes() > span_window_; window.drop_oldest()) {
      for (unsigned shard = first_of(consumer); shard < first_of(consumer + 1); ++shard) {
        shards_[shard]->detach_from_frames(window.last_number());
      }
    }
  }

  const unsigned threads_;
  const unsigned consumers_;  // a channel each; one thread alone takes all channels at once
  StageClock clock_;
  const Decoder decoder_;
  HugePages memory_;  // of all shards
  const std::uint64_t span_window_;
  std::vector<SpanWindow> windows_;  // of each consumer, with spans
  std::vector<std::unique_ptr<Reassembler>> shards_;
  OrderedBatches<StreamBatch> batches_;
  DecodeCounters decode_counters_;  // of consumer 0's owner
};

StreamReassembly::StreamReassembly(const ReassemblyOptions& options, PacketSource& source,
                                   std::span<StreamConsumer* const> channels)
    : work_(std::make_unique<Work>(options, source, channels)) {}
StreamReassembly::~StreamReassembly() = default;

void StreamReassembly::run() { work_->run(); }
const DecodeCounters& StreamReassembly::decode_counters() const { return work_->decode_counters(); }
ReassemblyCounters StreamReassembly::counters() const { return work_->counters(); }

}  // namespace warpmeter::inline command
