// Live flows that are Flow Records already, with gaps between their numbers.
#pragma once

#include <utility>
#include <vector>

#include "flow/runs/sorted_runs.h"

namespace warpmeter::test {

class LiveRecords : public LiveFlows {
 public:
  explicit LiveRecords(std::vector<Partial> flows) : flows_(std::move(flows)) {}

  std::size_t size() const override { return flows_.size(); }
  std::size_t numbers() const override { return flows_.size() * kStep; }
  const FlowKey* key_of(std::size_t number) const override {
    return number % kStep == kStep - 1 ? &flows_[number / kStep].key : nullptr;
  }
  Partial partial_of(std::size_t number) const override { return flows_[number / kStep]; }
  void prefetch(std::size_t) const override {}

 private:
  static constexpr std::size_t kStep = 3;
  const std::vector<Partial> flows_;
};

}  // namespace warpmeter::test
