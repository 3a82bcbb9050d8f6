// Flows that live when the trace ends, and a run of these: sorted where they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/partial.h"
#include "flow/runs/cursors.h"
#include "flow/runs/key_prefix.h"

namespace warpmeter::inline flow {

// Flows that were alive when the trace ended. They stay where they were metered, in the form that they have there; the
// partial of one is made when it is its turn. That saves writing all of them down to read them back at once.
//
// Threads: any, at the same time.
class LiveFlows {
 public:
  virtual ~LiveFlows() = default;

  virtual std::size_t size() const = 0;
  // They have numbers from 0 to numbers() - 1, of which some may be nobody's.
  virtual std::size_t numbers() const = 0;
  // Null if the number is nobody's. What follows REQUIRES that it is not.
  virtual const FlowKey* key_of(std::size_t number) const = 0;
  virtual Partial partial_of(std::size_t number) const = 0;
  virtual void prefetch(std::size_t number) const = 0;
};

class LiveRun {
 public:
  // Memory: 24 bytes a flow.
  LiveRun(std::vector<std::shared_ptr<const LiveFlows>> flows, RecordOrder order);
  LiveRun(const LiveRun&) = delete;
  LiveRun& operator=(const LiveRun&) = delete;

  std::uint64_t size() const { return places_.size(); }
  Partial at(std::uint64_t i) const { return partial_of(places_[i]); }
  void prefetch(std::uint64_t i) const { flows_[places_[i].flows]->prefetch(places_[i].number); }

 private:
  struct Place {
    KeyPrefix prefix;
    std::uint32_t flows;  // which of flows_
    std::uint32_t number;
  };
  const FlowKey& key_of(const Place& place) const { return *flows_[place.flows]->key_of(place.number); }
  Partial partial_of(const Place& place) const { return flows_[place.flows]->partial_of(place.number); }
  bool before(const Place& a, const Place& b) const;

  const std::vector<std::shared_ptr<const LiveFlows>> flows_;
  const RecordOrder order_;
  std::vector<Place> places_;
};

// Partials `begin` to `end` of a run.
class LiveRunCursor : public PartialCursor {
 public:
  LiveRunCursor(std::shared_ptr<const LiveRun> run, std::uint64_t begin, std::uint64_t end);
  void advance() override;

 private:
  void show();

  const std::shared_ptr<const LiveRun> run_;
  std::uint64_t at_;
  const std::uint64_t end_;
  Partial current_;
};

}  // namespace warpmeter::inline flow
