// Flows that were alive when the trace ended. They stay where they were metered, in the form that they have there; the
// partial of one is made when it is its turn. That saves writing all of them down to read them back at once.
//
// Threads: any, at the same time.
#pragma once

#include <cstddef>

#include "core/partial.h"

namespace warpmeter::inline flow {

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

}  // namespace warpmeter::inline flow
