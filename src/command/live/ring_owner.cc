#include "command/live/ring_owner.h"

#include <algorithm>
#include <limits>
#include <thread>
#include <utility>

namespace warpmeter::inline command {
namespace {

using Clock = std::chrono::steady_clock;

// How long an owner waits for room at another one, at most; then it goes on, and what finds none is lost. Until then
// its ring fills, and what the ring has no room for is lost there, in whole blocks.
constexpr std::chrono::milliseconds kLongestWait{500};

// Flows that are looked at for being idle between two batches, at most.
constexpr std::size_t kLooksABatch = 8192;

// The same for who sends most: 0.05 ms behind a full batch, where more packets may wait, else 0.4 ms.
constexpr std::size_t kWalkedInHaste = 1024, kWalkedElse = 8192;

// Of rings that do not tell which time has passed: a feeder that has not come yet.
constexpr std::int64_t kNoWatermark = std::numeric_limits<std::int64_t>::max();

// Without packets an owner looks so often whether it is to stop: at most, since to wake up costs as much as some
// hundred packets. A signal ends the wait of the first one, and blocks of packets come more often.
constexpr std::chrono::nanoseconds kLongestLook{200'000'000};

// Less where others find no idle flow without the time that this one has passed.
constexpr std::chrono::milliseconds kLongestOfSeveral{20};

// So often it tells how many flows live; metrics are at most 0.2 s old, with what a block of a ring waits for.
constexpr std::chrono::milliseconds kTellEvery{50};

// Segments of which it is asked at once whether they are its own: nearly always all are.
constexpr std::uint32_t kGroup = 16;
constexpr std::uint32_t kAhead = 6 * kGroup;  // of these, the places of owners are asked for

// Frames of a batch, so that the number of each has room for where it was observed.
constexpr std::uint32_t kMostFrames = 1U << (32 - kObservedBits);
constexpr std::uint32_t kPlace = (1U << kObservedBits) - 1;

}  // namespace

RingOwner::RingOwner(const Common& common, unsigned number, ObservationPoints& points, const std::vector<Ring*>& rings,
                     std::uint64_t flow_memory)
    : common_(common),
      number_(number),
      reader_(points, rings, common.exchange.wake_fd(number)),
      most_frames_(std::min(common.options.batch, kMostFrames)),
      batch_(most_frames_, common.streams != nullptr),
      incoming_(most_frames_),
      pushed_(common.exchange.owners()),
      refused_(common.exchange.owners()) {
  if (common_.streams) streams_ = &common_.streams->owner(number);
  MeterOptions meter = common_.options.meter;
  meter.flow_memory = flow_memory;
  const std::uint64_t block = std::max<std::uint64_t>(meter.five_tuple.block / common.exchange.owners(), 1);
  meter.five_tuple.block = block << kObservedBits;
  batch_.number_bits = incoming_.number_bits = kObservedBits;
  group_.emplace(
      ShardGroupOptions{.meter = meter,
                        .hash_seed = common_.hash_seed,
                        .flow_memory = flow_memory_,
                        .hole_memory = common_.hole_memory,
                        .clock = common_.clock,
                        .running = &common_.running,
                        .give_away = [&runs = common_.runs](PartialChunk partials) { runs.add(std::move(partials)); },
                        .expire_every_ns = common_.options.expire_every_ns,
                        .most_looks = kLooksABatch},
      0, kShards);
  if (common_.talkers) walk_.emplace(*common_.talkers, group_->shards());
  if (common_.sample) sample_.emplace(*common_.sample, number, common_.options.decode, common_.hash_seed);
}

void RingOwner::run() {
  do {
    const std::int64_t others = common_.exchange.passed_by_others(number_);  // before looking what they have for it
    const bool may_leave_sample = sample_ && sample_->take_up();             // the same
    meter_handed_over();
    if (may_leave_sample) leave_sample();
    take_blocks();
    const std::int64_t passed = reader_.watermark_ns();
    common_.exchange.has_passed(number_, passed == FrameBlock::kNothingPassed ? kNoWatermark : passed);
    group_->expire_idle(std::min(others, passed));
    if (streams_) streams_->pass(std::min(others, passed));
    if (const auto now = Clock::now(); now - told_ >= kTellEvery) {
      told_ = now;
      group_->tell_live_flows();
      if (sample_) sample_->tell_cpu_time();
    }
    if (walk_) walk_->look(batch_.frames < common_.options.batch / 2 ? kWalkedElse : kWalkedInHaste);
  } while (!reader_.is_at_end() && !common_.failed);
  common_.exchange.end(number_);
  meter_rest();
  group_->end_packets();
  group_->tell_live_flows();
}

// What others still read.
void RingOwner::meter_rest() {
  for (;;) {
    const bool all = common_.exchange.all_ended();                // before looking what they have for it
    const bool may_leave_sample = sample_ && sample_->take_up();  // the same
    meter_handed_over();
    if (may_leave_sample) leave_sample();
    if (all || common_.failed) return;
    // Where all others have ended meanwhile, no time says more than the end of the capture will.
    if (const std::int64_t others = common_.exchange.passed_by_others(number_); others != kNoWatermark) {
      group_->expire_idle(others);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// As many as make a batch, if they are there. Waits for the first, but not for long.
void RingOwner::take_blocks() {
  batch_.reset(0);
  stretches_.clear();
  std::optional<TakenBlock> block = wait_for_block();
  while (block) {
    TakenBlock taken = *std::move(block);
    block.reset();
    decode(std::move(taken));
    if (batch_.frames < most_frames_ / 2) block = reader_.take_if_there();
  }
  if (batch_.frames > 0) meter_batch();
}

std::chrono::milliseconds RingOwner::longest_wait() const {
  std::chrono::nanoseconds longest = kLongestLook;
  if (common_.options.expire_every_ns) {
    longest = std::min(longest, std::chrono::nanoseconds(common_.options.expire_every_ns / kPartsOfExpiry));
  }
  if (!group_->is_all_told()) longest = std::min<std::chrono::nanoseconds>(longest, kTellEvery);
  return std::chrono::ceil<std::chrono::milliseconds>(longest);
}

std::optional<TakenBlock> RingOwner::wait_for_block() {
  if (auto block = reader_.take_if_there(); block || group_->has_more_idle() || reader_.is_at_end()) return block;
  if (common_.exchange.owners() == 1) return reader_.take(longest_wait());
  common_.exchange.begin_wait(number_);
  std::optional<TakenBlock> block;
  if (!common_.exchange.has_some_for(number_)) block = reader_.take(std::min(kLongestOfSeveral, longest_wait()));
  common_.exchange.end_wait(number_);
  return block;
}

// The block goes back to its ring when the last frame is decoded: nothing points to it then.
void RingOwner::decode(TakenBlock taken) {
  RingBlock& block = taken.block;
  while (block.frames > 0) {
    if (batch_.frames >= most_frames_) {
      meter_batch();
      batch_.reset(0);
      stretches_.clear();
    }
    stretches_.push_back({taken.ring, batch_.count});
    frames_.clear();
    taken.ring->frames_of(block, most_frames_ - batch_.frames, frames_);
    bytes_ += taken.ring->measure(frames_.frames);
    const std::uint32_t first_frame = batch_.frames, first_segment = batch_.count;
    batch_.payload.reset(0);
    {
      const StageClock::Scope scope(common_.clock, Stage::decode);
      (sample_ ? sample_->decoder() : common_.decoder).append(frames_, batch_, batch_counters_);
      number_by_place(taken.ring->point(), first_frame, first_segment);
    }
    if (streams_) streams_->take(batch_.payload, first_frame, batch_.frames - first_frame, common_.exchange);
  }
}

// The frame of a segment becomes what its packet's number is behind that of the batch.
void RingOwner::number_by_place(std::uint32_t point, std::uint32_t first_frame, std::uint32_t first_segment) {
  for (std::uint32_t i = first_segment; i < batch_.count; ++i) {
    std::uint32_t& frame = batch_.segment[i].frame;
    const Frame& observed = frames_.frames[frame - first_frame];
    frame = frame << kObservedBits | place_of(observed.point ? observed.point : point, observed.egress);
  }
}

void RingOwner::meter_batch() {
  if (common_.exchange.owners() > 1) hand_over_others();
  meter(batch_);
  common_.running.bytes_read(std::exchange(bytes_, 0));
  common_.running.add(batch_counters_);
  decode_counters_.add(std::exchange(batch_counters_, {}));
}

// The batch lists its own segments then.
void RingOwner::hand_over_others() {
  const std::uint32_t count = batch_.count;
  if (count == 0) return;
  const FlowOwners::Claim claim = common_.owners.claim_of(batch_.segment[count - 1].time_ns, number_);
  const auto hashes = [&](std::uint32_t begin) {
    const std::span all(batch_.hash.data(), count);
    return all.subspan(std::min(begin, count), std::min(kGroup, count - std::min(begin, count)));
  };
  for (std::uint32_t begin = 0; begin < kAhead; begin += kGroup) common_.owners.prefetch(hashes(begin));
  auto stretch = stretches_.begin();
  for (std::uint32_t begin = 0; begin < count; begin += kGroup) {
    common_.owners.prefetch(hashes(begin + kAhead));
    if (common_.owners.are_own(hashes(begin), claim)) continue;
    const std::uint32_t end = std::min(begin + kGroup, count);
    for (std::uint32_t i = begin; i < end; ++i) {
      const unsigned owner = common_.owners.owner_of(batch_.hash[i], claim);
      if (owner == number_) continue;
      while (stretch + 1 != stretches_.end() && (stretch + 1)->first_segment <= i) ++stretch;
      hand_over(i, owner, *stretch);
      batch_.leave_out(i);
    }
  }
  publish();
  for (const Stretch& s : stretches_) {
    if (s.handed_over + s.lost) s.ring->count_handed_over(s.handed_over, s.lost);
    batch_counters_.metered -= s.lost;
  }
}

void RingOwner::hand_over(std::uint32_t segment, unsigned to, Stretch& from) {
  const QueuedSegment queued{batch_.key[segment], batch_.shard[segment], batch_.hash[segment], batch_.segment[segment]};
  SegmentQueue& queue = common_.exchange.queue(number_, to);
  if (!queue.push(queued) && !(wait_for_room(to) && queue.push(queued))) {
    ++from.lost;
    return;
  }
  pushed_[to] = true;
  ++from.handed_over;
}

// The other one may wait for room here: so it makes some meanwhile.
bool RingOwner::wait_for_room(unsigned to) {
  if (refused_[to]) return false;
  SegmentQueue& queue = common_.exchange.queue(number_, to);
  common_.exchange.publish(number_, to);
  for (const Clock::time_point end = Clock::now() + kLongestWait; !queue.has_room();) {
    if (common_.failed || Clock::now() >= end) {
      refused_[to] = true;
      return false;
    }
    meter_handed_over();
    std::this_thread::yield();
  }
  return true;
}

void RingOwner::publish() {
  for (unsigned to = 0; to < pushed_.size(); ++to) {
    if (pushed_[to]) common_.exchange.publish(number_, to);
    pushed_[to] = refused_[to] = false;
  }
}

void RingOwner::meter_handed_over() {
  for (unsigned from = 0; from < common_.exchange.owners(); ++from) {
    if (from != number_) meter_handed_over(common_.exchange.queue(from, number_));
  }
  if (streams_) streams_->take_handed_over(common_.exchange);
}

// What is there now, and no more: it may be filled all the time.
void RingOwner::meter_handed_over(SegmentQueue& queue) {
  for (std::size_t left = queue.capacity(); left > 0;) {
    const auto some = queue.front().first(std::min({queue.front().size(), left, std::size_t{most_frames_}}));
    if (some.empty()) return;
    incoming_.reset(0);
    for (const QueuedSegment& s : some) {
      incoming_.push(s.key, {s.hash, s.shard}, s.segment);
      std::uint32_t& frame = incoming_.segment[incoming_.count - 1].frame;
      frame = (frame & kPlace) | (incoming_.count - 1) << kObservedBits;
    }
    incoming_.frames = incoming_.count;
    queue.pop(some.size());
    left -= some.size();
    meter(incoming_);
  }
}

void RingOwner::meter(SegmentBatch& batch) {
  {
    const StageClock::Scope scope(common_.clock, Stage::meter);
    batch.first_number = observed_number(next_packet_, 0);
    next_packet_ += batch.frames;
    batch.list_by_shard();
    group_->meter(batch);
  }
  group_->flush_full();
}

// Of some shards more.
void RingOwner::leave_sample() {
  bool is_last = false;
  {
    const StageClock::Scope scope(common_.clock, Stage::meter);
    is_last = sample_->end_flows(group_->shards());
  }
  if (is_last) group_->flush_partials();
  else group_->flush_full();
  if (is_last) sample_->settle();
}

}  // namespace warpmeter::inline command
