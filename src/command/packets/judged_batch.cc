#include "command/packets/judged_batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

#include "base/threads/sequencer.h"
#include "flow/meter/huge_pages.h"
#include "pipeline/batches/ordered_batches.h"
#include "pipeline/metering/hole_memory.h"
#include "pipeline/metering/metering_work.h"

namespace warpmeter::inline command {
namespace {

// On a packet of a capture, for people.
std::string comment_on(const JudgedPacket& packet, PacketVerdict verdict) {
  const std::string word = fmt::format("verdict: {}", word_of(verdict));
  switch (verdict) {
    case PacketVerdict::retransmitted: return fmt::format("{}, {} bytes seen before", word, packet.verdict.seen_before);
    case PacketVerdict::duplicate: return fmt::format("{} of packet {}", word, packet.duplicate_of);
    default: return word;
  }
}

}  // namespace

JudgedBatch::JudgedBatch(const JudgeRules& rules)
    : rules_(rules),
      decoded_(rules.decoder, rules.clock, one_share<SegmentBatch>(rules.frames)),
      interfaces_(rules.interfaces) {
  for (const PacketTable* const table : rules.tables) sections_.push_back(table->new_section());
}

void JudgedBatch::begin() {
  decoded_.begin();
  frames_.clear();
  records_.clear();
}

void JudgedBatch::add(const FrameBlock& block) {
  decoded_.add(block);
  if (rules_.interfaces) frames_.insert(frames_.end(), block.frames.begin(), block.frames.end());
}

void JudgedBatch::finish(std::uint64_t first_number) {
  decoded_.finish(first_number);
  if (!rules_.meters_all) leave_out_others();
  segments().list_by_shard();
  if (judged_.size() < segments().count) judged_.resize(segments().capacity);
  groups_left_ = rules_.groups;
}

// No verdict depends on flows of other keys.
void JudgedBatch::leave_out_others() {
  SegmentBatch& batch = segments();
  for (std::uint32_t i = 0; i < batch.count; ++i) {
    if (rules_.selection->of(batch.key[i], batch.hash[i]).empty()) batch.leave_out(i);
  }
}

bool JudgedBatch::meter(ShardGroup& group) {
  group.meter(segments(), std::span<JudgedPacket>(judged_));
  return std::atomic_ref(groups_left_).fetch_sub(1, std::memory_order_acq_rel) == 1;
}

bool JudgedBatch::is_of_flows(std::uint32_t at) const {
  if (!rules_.selection) return true;
  const SegmentBatch& batch = decoded_.shares.front();
  const Segment& segment = batch.segment[at];
  const std::int64_t value = rules_.selection->order() == PacketOrder::time
                                 ? segment.time_ns
                                 : static_cast<std::int64_t>(batch.first_number + segment.frame);
  return std::ranges::any_of(rules_.selection->of(batch.key[at], batch.hash[at]),
                             [value](const PacketRange& range) { return range.holds(value); });
}

void JudgedBatch::pick() {
  picked_ = changed_times_ = 0;
  by_verdict_.fill(0);
  for (std::uint32_t i = 0; i < segments().count; ++i) {
    if (segments().shard[i] == kShards) continue;  // left out
    const PacketVerdict verdict = packet_verdict(judged_[i].verdict, rules_.has_strays);
    if (!rules_.verdicts.has(verdict) || !is_of_flows(i)) continue;
    ++by_verdict_[static_cast<std::size_t>(verdict)];
    take_packet(i, verdict);
  }
  for (const auto& section : sections_) section->put(rows_);
  if (!rules_.interfaces) picked_ = rows_.size();
  else if (takes_all_frames(rules_)) take_all_frames();
  else end_frame();
  rows_.clear();
}

void JudgedBatch::take_packet(std::uint32_t at, PacketVerdict verdict) {
  const Segment& segment = segments().segment[at];
  if (!sections_.empty()) {
    rows_.push_back({segments().key[at], segment, judged_[at], segments().first_number + segment.frame, verdict});
  }
  if (!rules_.interfaces || takes_all_frames(rules_)) return;
  if (frame_ && segment.frame != *frame_) end_frame();
  frame_ = segment.frame;
  if (rules_.has_comments) comments_.push_back(comment_on(judged_[at], verdict));
}

// What a filter cannot look at it does not take.
void JudgedBatch::take_all_frames() {
  for (std::uint32_t i = 0; i < frames_.size(); ++i) {
    const Frame& frame = frames_[i];
    if (!rules_.filter || (frame.link != kUnknownLink && rules_.filter->matches(frame))) add_record(frame, i);
  }
}

// All packets of the frame were seen.
void JudgedBatch::end_frame() {
  if (!frame_) return;
  add_record(frames_[*frame_], *frame_);
  frame_.reset();
  comments_.clear();
}

void JudgedBatch::add_record(const Frame& frame, std::uint32_t place) {
  const std::uint16_t interface = interfaces_.number_of(frame.link, frame.point);
  const std::uint32_t kept = rules_.headers_only ? rules_.decoder.bytes_of_headers(frame) : frame.captured;
  const RecordFacts facts{frame.time_ns, kept, frame.original, interface};
  if (rules_.form == CaptureForm::pcapng && !comments_.empty()) {
    std::vector<std::string> comments;
    if (frame.options > 0) each_comment(frame, [&](std::string comment) { comments.push_back(std::move(comment)); });
    std::ranges::move(comments_, std::back_inserter(comments));
    records_.begin(rules_.form, facts, comments);
    records_.refer(frame.data, kept, false);
    records_.end(rules_.form, facts, comments, place);
  } else {
    records_.add(rules_.form, frame, facts, place);
  }
  ++picked_;
  changed_times_ += !can_tell(rules_.form, frame.time_ns);
}

void JudgedBatch::write(CaptureWriter* capture) {
  for (std::size_t i = 0; i < sections_.size(); ++i) rules_.tables[i]->append(*sections_[i]);
  if (!capture) return;
  capture->write(records_, 0, records_.size());
  capture->flush();
}

namespace {

constexpr unsigned kFewestGroups = 16;

// The groups, and what their shards lie in.
class JudgingShards {
 public:
  JudgingShards(const ExtractOptions& options, const HashSeed& seed, StageClock& clock, unsigned groups)
      : meter_(cpu_meter_options(options)), hole_memory_(hole_memory_of(meter_), options.tmpdir) {
    const ShardGroupOptions group{.meter = meter_,
                                  .hash_seed = seed,
                                  .flow_memory = flow_memory_,
                                  .hole_memory = hole_memory_,
                                  .clock = clock,
                                  .give_away = [](const PartialChunk&) {}};
    const unsigned shards = kShards / groups;
    for (unsigned i = 0; i < kShards; i += shards)
      groups_.push_back(std::make_unique<ShardGroup>(group, i, i + shards));
  }

  ShardGroup& operator[](unsigned group) { return *groups_[group]; }

  std::uint64_t evicted() const {
    std::uint64_t flows = 0;
    for (const auto& group : groups_) flows += group->counters().evicted;
    return flows;
  }

 private:
  const MeterOptions meter_;
  HugePages flow_memory_;
  HoleMemory hole_memory_;
  std::vector<std::unique_ptr<ShardGroup>> groups_;
};

// Whoever meters a batch last picks it, and waits for its turn to have it written. That is no deadlock: no group is
// done with a batch before it is done with the one before, so that this one was picked before, or is being picked.
class JudgingPass {
 public:
  JudgingPass(OrderedBatches<JudgedBatch>& batches, JudgingShards& shards,
              const std::function<void(JudgedBatch&)>& write)
      : batches_(batches), shards_(shards), write_(write) {}

  void meter(unsigned group, std::uint64_t first, std::uint64_t last) {
    try {
      for (std::uint64_t b = first; b < last; ++b) {
        if (batches_[b].meter(shards_[group]) && !pick(b)) return;
      }
    } catch (...) {
      turns_.fail();
      throw;
    }
    shards_[group].flush_full();
  }

  const JudgedCounts& counts() const { return counts_; }

 private:
  // False where another thread has failed.
  bool pick(std::uint64_t number) {
    JudgedBatch& batch = batches_[number];
    batch.pick();
    if (!turns_.wait_for(number)) return false;
    write_(batch);
    counts_.decode.add(batch.counters());
    counts_.packets += batch.picked();
    counts_.changed_times += batch.changed_times();
    for (std::size_t i = 0; i < counts_.by_verdict.size(); ++i) counts_.by_verdict[i] += batch.by_verdict()[i];
    turns_.end();
    return true;
  }

  OrderedBatches<JudgedBatch>& batches_;
  JudgingShards& shards_;
  const std::function<void(JudgedBatch&)>& write_;
  Sequencer turns_;
  JudgedCounts counts_;  // by whose turn it is
};

}  // namespace

unsigned judging_groups(unsigned threads) { return std::clamp(std::bit_ceil(threads), kFewestGroups, kShards); }

JudgedCounts judge_packets(TraceSource& trace, const JudgeRules& rules, const ExtractOptions& options,
                           const HashSeed& seed, const std::function<void(JudgedBatch&)>& write) {
  JudgingShards shards(options, seed, rules.clock, rules.groups);
  BatchShape shape = shape_of_cached_batches(options.threads, rules.groups);
  shape.chunk.frames = rules.frames;
  shape.chunk.in_order = true;  // rows are
  if (rules.interfaces) shape.chunk = {.frames = rules.frames, .bytes = rules.bytes, .keep = true};
  OrderedBatches<JudgedBatch> batches(trace, shape, [&] { return JudgedBatch(rules); });
  JudgingPass pass(batches, shards, write);
  batches.run([&](unsigned group, std::uint64_t first, std::uint64_t last) { pass.meter(group, first, last); });
  JudgedCounts counts = pass.counts();
  counts.evicted_flows = shards.evicted();
  return counts;
}

}  // namespace warpmeter::inline command
