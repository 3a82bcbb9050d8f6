#include "pipeline/metering/device_metering.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "base/threads/in_threads.h"
#include "pipeline/metering/shard_group.h"

namespace warpmeter::inline pipeline {
namespace {

constexpr unsigned kMostSlots = 128;

// Enough for each reader to have a batch and to begin another while a slower one is waited for, and for the stages
// behind them; pinned memory is dear, so no more than there are batches to come.
unsigned slots_for(const MeteringOptions& options) {
  const unsigned wanted =
      std::clamp(options.threads + options.threads / 2 + DeviceMeter::kMostInFlight, 4u, kMostSlots);
  if (options.most_packets == 0) return wanted;
  return static_cast<unsigned>(std::clamp<std::uint64_t>(options.most_packets / options.batch + 1, 2, wanted));
}

// Threads that sort and write: one is slower than sixteen that decode, where a flow has few packets.
unsigned writers_for(unsigned threads) { return std::clamp(threads / 4, 1u, 4u); }

// A reader goes through its batch by chunks that stay in its core's cache.
constexpr std::uint32_t kFramesPerChunk = 4096;
// Where chunks are cut by the mean record of an earlier one, some have more frames than that. So they are cut for this
// share less: nearly all batches are what a device takes at once then, and lie in memory that it copies from fast.
constexpr std::uint32_t kSpareShare = 16;
constexpr std::size_t kPartialsPerChunk = 4096;
// Of the memory for flow states, what the last flows may take, those of the CPU among them, if partials of devices are
// to stay where they are until they are exported.
constexpr std::uint64_t kStayShare = 2;
constexpr std::uint64_t kPiecesBetweenTries = 64;  // to move back to a device: each waits for all that is in flight

// In no more memory than that takes, or little more: small batches, and ids of flows that have left, give few at a
// time.
PartialChunk taken_from(PartialChunk& ended) {
  if (ended.capacity() - ended.size() <= ended.capacity() / 8) return std::exchange(ended, {});
  return {ended.begin(), ended.end()};
}

MeteringOptions with_block_of(const MeteringOptions& options, const DeviceMeter& device) {
  MeteringOptions with_block = options;
  with_block.meter.five_tuple.block = device.block();
  return with_block;
}

BatchShape shape_of(const MeteringOptions& options) {
  const std::uint32_t chunks = (options.batch - 1) / kFramesPerChunk + 1, frames = options.batch / chunks;
  return {.workers = options.threads,
          .slots = slots_for(options),
          .chunks = chunks,
          .chunk = {.frames = frames - frames / kSpareShare, .in_order = true},
          .deadline = std::chrono::nanoseconds(options.batch_deadline_ns)};
}

// Each device's in its memory. No piece is larger than a device can take.
std::vector<PackedBatch> shares_for(const DeviceMetering::Devices& devices, std::uint32_t most_of_a_piece) {
  std::vector<PackedBatch> shares;
  for (const auto& device : devices) shares.emplace_back(most_of_a_piece, device->batch_memory());
  return shares;
}

}  // namespace

DeviceMetering::DeviceMetering(const MeteringOptions& options, Devices devices, const HashSeed& hash_seed,
                               PacketSource& source, RunStore& runs, StageClock& clock)
    : devices_(std::move(devices)),
      options_(with_block_of(options, *devices_.front())),
      runs_(runs),
      clock_(clock),
      decoder_(options.decode, hash_seed),
      batches_(source, shape_of(options),
               [&] { return DecodedBatch(decoder_, clock, shares_for(devices_, options.batch)); }),
      in_flight_(static_cast<unsigned>(devices_.size()), DeviceMeter::kMostInFlight),
      fallback_(options_, hash_seed, devices_.size(), clock,
                [this](PartialChunk partials) { chunks_.push(std::move(partials)); }),
      next_try_(devices_.size()),
      expired_ns_(devices_.size()),
      idle_left_(devices_.size()) {}

// After a failure batches may be in flight still, and their memory is about to go.
DeviceMetering::~DeviceMetering() {
  for (const auto& device : devices_) device->finish();
}

void DeviceMetering::run() {
  std::vector<StageFunction> stages(options_.threads, &DeviceMetering::read_and_decode);
  stages.insert(stages.end(), writers_for(options_.threads), &DeviceMetering::sort_and_write);
  stages.insert(stages.end(), {&DeviceMetering::submit, &DeviceMetering::collect});
  in_threads(
      static_cast<unsigned>(stages.size()), [&](unsigned i) { (this->*stages[i])(); }, [this] { fail(); });
  batches_.rethrow_failure();
  clock_.add(Stage::read, batches_.reading_time());
}

// Every stage ends when batches and pieces have failed and the queue is closed.
void DeviceMetering::fail() {
  batches_.fail(std::current_exception());
  in_flight_.fail();
  chunks_.close();
}

// ---- read, filter, decode

void DeviceMetering::read_and_decode() { batches_.work(readers_++); }

// ---- copy in, compute

void DeviceMetering::submit() {
  for (std::uint64_t batch = 0; batches_.wait_for(batch); ++batch) {
    if (!submit_batch(batch)) return;
  }
  in_flight_.close();
}

bool DeviceMetering::submit_batch(std::uint64_t batch) {
  decode_counters_.add(batches_[batch].counters);
  running_.add(batches_[batch].counters);
  const std::int64_t watermark_ns = batches_[batch].watermark_ns;  // with its last piece the batch may go at any moment
  for (unsigned device = 0; device < devices_.size(); ++device) {
    if (!submit_pieces(batch, device)) return false;
  }
  if (options_.expire_every_ns == 0 || watermark_ns == FrameBlock::kNothingPassed) return true;
  for (unsigned device = 0; device < devices_.size(); ++device) {
    if (!expire_idle(device, watermark_ns)) return false;
  }
  return true;
}

bool DeviceMetering::submit_pieces(std::uint64_t batch, unsigned device) {
  const PackedBatch& segments = batches_[batch].shares[device];
  const std::uint32_t count = segments.count;
  std::uint32_t begin = 0;
  do {
    const std::uint32_t end = end_of_piece(segments, begin);
    const bool last = device + 1 == devices_.size() && end == count;
    if (!submit_piece({batch, device, begin, end, last})) return false;
    begin = end;
  } while (begin < count);
  return true;
}

// Batches without segments, of which a source has many at its end, cost a device as much as others.
bool DeviceMetering::submit_piece(const Piece& piece) {
  if (!piece.is_for_device()) {
    in_flight_.submitted(piece);
    return true;
  }
  if (!in_flight_.wait_for_room(piece.device) || !take_again(piece.device)) return false;
  devices_[piece.device]->submit(batches_[piece.batch].shares[piece.device].span(piece.begin, piece.end));
  in_flight_.submitted(piece);
  ++submitted_;
  return true;
}

// Also where a clock was set back. Where more flows were idle than can leave at once, all of them go before another
// batch comes.
bool DeviceMetering::expire_idle(unsigned device, std::int64_t watermark_ns) {
  const bool left = idle_left_[device];
  if (!left && std::abs(watermark_ns - expired_ns_[device]) < options_.expire_every_ns) return true;
  expired_ns_[device] = watermark_ns;
  do {
    if (!expire(device, watermark_ns) || (left && !in_flight_.wait_until_empty())) return false;
  } while (left && idle_left_[device]);
  return true;
}

bool DeviceMetering::expire(unsigned device, std::int64_t watermark_ns) {
  if (!in_flight_.wait_for_room(device)) return false;
  devices_[device]->expire(watermark_ns);
  in_flight_.submitted(
      {.batch = 0, .device = device, .begin = 0, .end = 0, .last = false, .watermark_ns = watermark_ns});
  ++submitted_;
  return true;
}

// A piece ends at the latest where a memory block ends.
std::uint32_t DeviceMetering::end_of_piece(const PackedBatch& batch, std::uint32_t begin) const {
  if (begin == batch.count) return begin;
  const SegmentSpan span = batch.span(begin, batch.span_end(begin));
  const std::uint64_t block_end = (block_of(span.number(0), block()) + 1) * block();
  const auto* const end = std::partition_point(
      span.segment, span.segment + span.count,
      [&](const PackedSegment& segment) { return span.first_number + frame_of(segment, span.words) <= block_end; });
  return begin + static_cast<std::uint32_t>(end - span.segment);
}

// Where a device refused new Flow Keys and has room again, it takes them again; the flows that live here by now stay
// here. False when all is to end.
bool DeviceMetering::take_again(unsigned device) {
  const std::uint32_t room = devices_[device]->room_again();
  if (room == 0 || submitted_ < next_try_[device]) return true;
  if (!in_flight_.wait_until_empty()) return false;
  // Nobody else uses devices or shards now.
  const auto flows = fallback_.list_live(device, devices_[device]->latest_ns());
  if (flows.size() <= room / 2) devices_[device]->take_again(flows);
  else next_try_[device] = submitted_ + kPiecesBetweenTries;
  return true;
}

// ---- copy out

void DeviceMetering::collect() {
  DeviceMeter::Result result;
  while (const auto piece = in_flight_.next()) {
    const bool for_device = piece->is_for_device();
    if (for_device) collect_from_device(*piece, result);
    in_flight_.done();
    if (piece->last) batches_.release(piece->batch);
    if (for_device) pass_on(result.finished);
  }
  chunks_.close();
}

void DeviceMetering::collect_from_device(const Piece& piece, DeviceMeter::Result& result) {
  result.idle_left = 0;
  devices_[piece.device]->collect(result);
  in_flight_.collected(piece);
  take_result(piece, result);
}

void DeviceMetering::take_result(const Piece& piece, DeviceMeter::Result& result) {
  for (const Partial& partial : result.finished) {
    meter_counters_.expired += partial.removal == Removal::expired;
    meter_counters_.duplicate_packets += partial.duplicate_packets;
  }
  meter_counters_.jumps += result.jumps;
  const unsigned device = piece.device;
  if (!result.overflow.empty() || !result.handed_over.empty()) {
    const PackedBatch& batch = batches_[piece.batch].shares[device];
    fallback_.meter(device, batch.span(piece.begin, piece.end), result);
  }
  if (piece.watermark_ns == FrameBlock::kNothingPassed) return;
  idle_left_[device] = result.idle_left > 0;
  fallback_.expire_idle(device, piece.watermark_ns);
}

// In chunks, of which few may wait: a batch can end a million flows.
void DeviceMetering::pass_on(std::span<const Partial> partials) {
  for (std::size_t i = 0; i < partials.size(); i += kPartialsPerChunk) {
    const auto chunk = partials.subspan(i, std::min(kPartialsPerChunk, partials.size() - i));
    chunks_.push(PartialChunk(chunk.begin(), chunk.end()));
  }
}

// ---- sort and write

void DeviceMetering::sort_and_write() {
  while (std::optional<PartialChunk> chunk = chunks_.pop()) add_partials(std::move(*chunk));
}

void DeviceMetering::add_partials(PartialChunk partials) {
  const StageClock::Scope scope(clock_, Stage::spill);
  runs_.add(std::move(partials));
}

// The CPU's flows first: what stays in memory would go to a file with those that find no room.
void DeviceMetering::drain() {
  std::int64_t trace_end_ns = std::max(batches_.watermark_ns(), fallback_.latest_ns());
  std::uint64_t live = 0;
  for (const auto& device : devices_) {
    trace_end_ns = std::max(trace_end_ns, device->latest_ns());
    live += device->flows();
  }
  const std::uint64_t bytes = live * sizeof(Partial) + fallback_.live() * sizeof(CompactFlowState);
  const std::vector<Shard*> on_cpu = fallback_.shards();
  end_flows(on_cpu, {.threads = options_.threads, .watermark_ns = trace_end_ns}, runs_, clock_);
  meter_counters_.add(fallback_.counters());
  for (const auto& device : devices_) {
    drain_device(*device, trace_end_ns, bytes <= options_.meter.flow_memory / kStayShare);
  }
  add_stage_times();
}

// In turn: the device is quick. The memory that flows come to is not, where nobody has written to it before: threads
// write to theirs beside each other.
void DeviceMetering::drain_device(DeviceMeter& device, std::int64_t trace_end_ns, bool stay) {
  std::mutex in_turn;
  bool more = true;  // these two: whose turn it is
  const auto drain_some = [&](PartialChunk& ended) {
    const std::lock_guard lock(in_turn);
    const StageClock::Scope scope(clock_, Stage::drain);
    if (std::exchange(more, false)) more = device.drain(trace_end_ns, ended);  // false if that fails
    for (const Partial& partial : ended) meter_counters_.duplicate_packets += partial.duplicate_packets;
    return more;
  };
  const std::uint64_t flows = device.flows(), chunks = flows / DeviceMeter::kMostDrained + 1;
  const std::size_t most = std::min<std::uint64_t>(DeviceMeter::kMostDrained, flows);
  in_threads(static_cast<unsigned>(std::min<std::uint64_t>(options_.threads, chunks)), [&](unsigned) {
    PartialChunk ended;
    for (bool again = true; again;) {
      if (ended.capacity() < most) ended.resize(most);
      ended.clear();
      again = drain_some(ended);
      PartialChunk taken = taken_from(ended);
      if (taken.empty()) continue;
      if (stay) runs_.add_last(std::move(taken));
      else add_partials(std::move(taken));
    }
  });
  meter_counters_.peak_live_flows += flows;
}

void DeviceMetering::add_stage_times() {
  for (int i = 0; i < kDeviceStages; ++i) {
    double seconds = 0;
    for (const auto& device : devices_) seconds += device->stage_seconds()[i];
    device_stages_.emplace_back(kDeviceStageNames[i], seconds);
  }
}

}  // namespace warpmeter::inline pipeline
