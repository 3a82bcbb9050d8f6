// Where annotations are noted while packets are metered: appended, by whoever owns the flow's shard, and handed on to
// the run store in chunks, as partials are. Nothing is looked up, and no flow state knows of it.
//
// Threads: one; there may be any number of logs on one store.
#pragma once

#include <cstdint>
#include <utility>

#include "flow/runs/annotation_parts.h"
#include "flow/runs/run_store.h"

namespace warpmeter::inline flow {

class AnnotationLog {
 public:
  // `runs` must outlive it, and has to be in an order of partials.
  explicit AnnotationLog(RunStore& runs) : runs_(runs) {}
  AnnotationLog(const AnnotationLog&) = delete;
  AnnotationLog& operator=(const AnnotationLog&) = delete;

  // Of the packet annotation.packet, which was or is metered under this key; of one that is in no flow it is dropped in
  // the end. All annotations of a key are added to one log. Throws Error as RunStore::add().
  void add(const FlowKey& key, const Annotation& annotation) {
    append_parts(chunk_, key, annotation, sequence_);
    if (chunk_.size() >= kChunk) flush();
  }

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
