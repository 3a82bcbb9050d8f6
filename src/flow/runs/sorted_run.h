// A run in memory: chunks of partials, sorted without moving them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/partial.h"
#include "flow/runs/cursors.h"
#include "flow/runs/key_prefix.h"

namespace warpmeter::inline flow {

using PartialChunk = std::vector<Partial>;

class SortedRun {
 public:
  // Takes over the chunks and sorts them.
  SortedRun(std::vector<PartialChunk> chunks, RecordOrder order);
  SortedRun(const SortedRun&) = delete;
  SortedRun& operator=(const SortedRun&) = delete;

  std::uint64_t size() const { return places_.size(); }
  const Partial& at(std::uint64_t i) const { return *places_[i].partial; }

 private:
  struct Place {
    KeyPrefix prefix;
    const Partial* partial;
  };

  std::vector<PartialChunk> chunks_;
  std::vector<Place> places_;
};

// Partials `begin` to `end` of a run.
class SortedRunCursor : public PartialCursor {
 public:
  SortedRunCursor(std::shared_ptr<const SortedRun> run, std::uint64_t begin, std::uint64_t end);
  void advance() override;

 private:
  void show();

  const std::shared_ptr<const SortedRun> run_;
  std::uint64_t at_;
  const std::uint64_t end_;
};

}  // namespace warpmeter::inline flow
