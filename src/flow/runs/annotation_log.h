// Where annotations are noted while packets are metered: appended, by whoever owns the flow's shard, and handed on to
// the run store in chunks, as partials are. Nothing is looked up, and no flow state knows of it.
//
// Threads: one; there may be any number of logs on one store.
#pragma once

#include <cstdint>
#include <utility>

#include "core/annotations.h"
#include "flow/runs/annotation_parts.h"
#include "flow/runs/run_store.h"

namespace warpmeter::inline flow {

class AnnotationLog : public AnnotationSink {
 public:
  // `runs` must outlive it, and has to be in an order of partials.
  explicit AnnotationLog(RunStore& runs) : runs_(runs) {}
  AnnotationLog(const AnnotationLog&) = delete;
  AnnotationLog& operator=(const AnnotationLog&) = delete;

  void add(const FlowKey& key, const Annotation& annotation, const AnnotationReach& reach,
           std::uint64_t arrival) override {
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

}  // namespace warpmeter::inline flow
