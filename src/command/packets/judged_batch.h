// A batch of frames on its way through `packets` where verdicts are wanted: its segments are metered by groups of
// shards, and when the last group is through, the packets that are wanted become rows of tables, records of a capture,
// or both.
//
// Threads: as OrderedBatches; meter() by several at once, each with another group; the rest by whoever was told that
// it was the last.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "command/packets/flow_selection.h"
#include "command/packets/packet_table.h"
#include "core/counters.h"
#include "core/hash_seed.h"
#include "core/segment_batch.h"
#include "packet/decode/packet_filter.h"
#include "packet/file/interface_list.h"
#include "packet/file/packet_source.h"
#include "packet/write/capture_writer.h"
#include "packet/write/packet_records.h"
#include "pipeline/batches/decoded_batch.h"
#include "pipeline/metering/extract_options.h"
#include "pipeline/metering/shard_group.h"
#include "warpmeter/frame.h"

namespace warpmeter::inline command {

// Which packets all batches take, and what for. What is referred to must outlive them.
struct JudgeRules {
  const Decoder& decoder;
  StageClock& clock;
  const FlowSelection* selection = nullptr;  // null: all flows
  bool meters_all = true;                    // also flows of which none is selected
  VerdictSet verdicts = VerdictSet::all();
  bool has_strays = true;  // the method counts them
  std::vector<PacketTable*> tables = {};
  bool has_comments = true;   // a capture tells verdicts, where it can
  bool headers_only = false;  // of its packets
  CaptureForm form = CaptureForm::pcapng;
  InterfaceList* interfaces = nullptr;   // of a capture; null: there is none
  const PacketFilter* filter = nullptr;  // of a capture of all packets, metered or not; null: it takes all
  std::uint32_t frames;                  // that a batch has, about
  std::uint64_t bytes;                   // of a capture
  unsigned groups;
};

// Whether its capture has all frames that the filter takes: nobody asked for less.
inline bool takes_all_frames(const JudgeRules& rules) {
  return rules.interfaces && !rules.selection && rules.verdicts.has_all();
}

using VerdictCounts = std::array<std::uint64_t, kVerdictWords.size()>;

class JudgedBatch {
 public:
  explicit JudgedBatch(const JudgeRules& rules);

  void begin();
  void add(const FrameBlock& block);
  void finish(std::uint64_t first_number);

  const DecodeCounters& counters() const { return decoded_.counters; }

  // Returns whether this was the last group.
  bool meter(ShardGroup& group);
  // Makes rows or records of what is wanted.
  void pick();
  // Of what was picked: frames of the capture, or packets where there is none; by verdict, packets.
  std::uint64_t picked() const { return picked_; }
  const VerdictCounts& by_verdict() const { return by_verdict_; }
  // Of a capture, frames with another time in it (can_tell()).
  std::uint64_t changed_times() const { return changed_times_; }
  // To the tables of the rules, and to the capture; null: there is none.
  void write(CaptureWriter* capture);

 private:
  SegmentBatch& segments() { return decoded_.shares.front(); }
  bool is_of_flows(std::uint32_t at) const;
  void leave_out_others();
  void take_packet(std::uint32_t at, PacketVerdict verdict);
  void take_all_frames();
  void end_frame();
  void add_record(const Frame& frame, std::uint32_t place);

  const JudgeRules rules_;
  LeasedBatch<SegmentBatch> decoded_;
  std::vector<JudgedPacket> judged_;  // of the segments
  unsigned groups_left_ = 0;          // by std::atomic_ref
  std::uint64_t picked_ = 0, changed_times_ = 0;
  VerdictCounts by_verdict_{};
  std::vector<std::unique_ptr<PacketTable::Section>> sections_;  // of the tables
  std::vector<PacketRow> rows_;                                  // of each of them

  // Of a capture.
  FrameInterfaces interfaces_;
  std::vector<Frame> frames_;
  PacketRecords records_;
  std::optional<std::uint32_t> frame_;  // the one that is wanted
  std::vector<std::string> comments_;   // on it, of its packets
};

// A pass over a trace that meters it for the verdicts of its packets: as `extract` meters, but that Flow Records are
// thrown away.

struct JudgedCounts {
  DecodeCounters decode;
  std::uint64_t packets = 0;  // that were written; frames, where there is a capture
  VerdictCounts by_verdict{};
  std::uint64_t changed_times = 0;
  std::uint64_t evicted_flows = 0;  // for want of memory
};

// Calls `write` with each batch that was picked, in their order and by one thread at a time. `seed`: of the decoder.
// Uses options.threads threads. Throws what any of them throws.
JudgedCounts judge_packets(TraceSource& trace, const JudgeRules& rules, const ExtractOptions& options,
                           const HashSeed& seed, const std::function<void(JudgedBatch&)>& write);

// Groups of shards, each of which meters a batch at a time.
unsigned judging_groups(unsigned threads);

}  // namespace warpmeter::inline command
