// Annotations, noted while packets are metered: for a run of the whole trace (AnnotationLog), and where Flow Records
// leave while more packets come (LiveAnnotations).
//
// Threads: one. Errors: std::bad_alloc.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/annotations.h"
#include "core/flow_hash.h"
#include "core/partial.h"
#include "flow/runs/annotation_parts.h"
#include "flow/runs/run_store.h"

namespace warpmeter::inline flow {

// They are appended by whoever owns the flow's shard, and handed on to the run store in chunks, as partials are.
// Nothing is looked up, and no flow state knows of it. There may be any number of logs on one store.
class AnnotationLog : public AnnotationSink {
 public:
  // `runs` must outlive it, and has to be in an order of partials.
  explicit AnnotationLog(RunStore& runs) : runs_(runs) {}
  AnnotationLog(const AnnotationLog&) = delete;
  AnnotationLog& operator=(const AnnotationLog&) = delete;

  void add(const FlowKey& key, const Annotation& annotation, const AnnotationReach& reach,
           std::uint64_t arrival) override {
    if (chunk_.empty()) chunk_.reserve(kChunk);
    append_parts(chunk_, key, annotation, reach, arrival, sequence_);
    if (chunk_.size() >= kChunk) flush();
  }
  // Of the Flow Record that its packet is metered in.
  void add(const FlowKey& key, const Annotation& annotation) { add(key, annotation, {}, annotation.packet); }

  // Before the runs are read.
  void flush() {
    if (!chunk_.empty()) runs_.add(std::exchange(chunk_, {}));
  }

 private:
  static constexpr std::size_t kChunk = 256;

  RunStore& runs_;
  PartialChunk chunk_;
  std::uint64_t sequence_ = 0;
};

// They are kept until the Flow Record is there that they are of, and given behind it.
//
// A run of the whole trace has them all when it is joined, and settles there whose they are (AnnotationSpread). Here a
// Flow Record leaves as soon as it ends, and what is noted of its key by then, or reaches it from before, goes with it.
// So a Flow Record that has left gets nothing that is noted of it later. Of flows that live, and of connections that
// are open, everything that a Flow Record may have stays here: about 100 bytes a text.
class LiveAnnotations : public AnnotationSink {
 public:
  // Of the flow of a key that lives, where one does: the packet that it begins with (FlowRecord::arrival).
  using FindLive = std::function<std::optional<std::uint64_t>(const FlowKey& key)>;

  // `most`: different texts of a column that are given with a Flow Record.
  LiveAnnotations(const HashSeed& hash_seed, FindLive find_live, std::size_t most = kMostKept)
      : find_live_(std::move(find_live)), most_(most), flows_(0, KeyHash{hash_seed}) {}

  // What is noted before a packet that is metered later must not be noted after it; but a begin, and what it begins,
  // may be noted as long as the connection is open. What
  // reaches up to a packet is noted before the next settle() or put_away() behind that.
  void add(const FlowKey& key, const Annotation& annotation, const AnnotationReach& reach,
           std::uint64_t arrival) override;

  // These flows have ended, each perhaps with its annex behind it: appends what is noted of them. REQUIRES: all packets
  // of which something is noted have been metered; those of a key that ended since the last call are all here, in their
  // order.
  void settle(PartialChunk& ended);

  // Puts away what was noted since. REQUIRES: flows that have ended are settled.
  void put_away();

  // What the flows that live have so far, as it would stand behind them. REQUIRES: put_away().
  PartialChunk of_living();

  std::size_t flows() const { return flows_.size(); }

 private:
  struct Noted {
    Annotation annotation;
    AnnotationReach reach;
    std::uint64_t arrival;
  };
  struct Kept {
    Annotation annotation;
    std::uint64_t until = 0;     // Flow Records that begin up to this packet get it
    bool of_record = false;      // the one that lives has it
    bool from_before = false;    // from its beginning on
    bool of_connection = false;  // Flow Records that begin later in the one that is open get it
  };
  struct Flow {
    std::vector<Noted> noted;
    std::vector<std::uint64_t> ended;  // arrivals of those that have, while they are settled
    std::vector<Kept> kept;
    std::size_t once = 0;                    // kept behind the last look for doubles
    std::optional<std::uint64_t> record;     // arrival of the Flow Record that is built
    std::uint64_t open = 0;                  // connection; 0: none
    std::uint64_t connection_of_record = 0;  // in which it began
    std::uint64_t pushed_out = 0;            // connection; 0: none, or another one began since
  };
  struct KeyHash {
    HashSeed seed;
    std::size_t operator()(const FlowKey& key) const { return hash_flow(key, seed).hash; }
  };
  using Flows = std::unordered_map<FlowKey, Flow, KeyHash>;

  static void begin_record(Flow& flow, std::uint64_t arrival);
  static void begin_anew(Flow& flow);
  static void change_connection(Flow& flow, const AnnotationReach& reach, std::uint64_t arrival);
  void take(Flow& flow, Noted& noted) const;
  static void keep_once(Flow& flow);
  void keep_first(Flow& flow) const;
  void take_before(Flow& flow, std::size_t& next, std::uint64_t arrival) const;
  void go_on(const FlowKey& key, Flow& flow, PartialChunk& to);
  void give(const FlowKey& key, Flow& flow, PartialChunk& to);

  const FindLive find_live_;
  const std::size_t most_;
  Flows flows_;
  std::vector<FlowKey> noted_;  // keys of which something was noted
  std::uint64_t sequence_ = 0;
};

}  // namespace warpmeter::inline flow
