// The flows that live in a shard when the trace has ended, for the run store.
#pragma once

#include "flow/meter/shard.h"
#include "flow/runs/live_run.h"

namespace warpmeter::inline pipeline {

class ShardFlows : public LiveFlows {
 public:
  // The shard must outlive this and meters nothing more.
  ShardFlows(const Shard& shard, std::int64_t trace_end_ns) : shard_(shard), trace_end_ns_(trace_end_ns) {}

  std::size_t size() const override { return shard_.live(); }
  std::size_t numbers() const override { return shard_.numbers(); }
  const FlowKey* key_of(std::size_t number) const override {
    return shard_.lives(number) ? &shard_.key_of(number) : nullptr;
  }
  Partial partial_of(std::size_t number) const override { return shard_.last_partial_of(number, trace_end_ns_); }
  void prefetch(std::size_t number) const override { shard_.prefetch(number); }

 private:
  const Shard& shard_;
  const std::int64_t trace_end_ns_;
};

}  // namespace warpmeter::inline pipeline
