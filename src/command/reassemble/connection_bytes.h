// Where what is written of connections goes, as long as several of them are under way: each has a chain, which begins
// as 0 and is its writer's to keep.
#pragma once

#include <cstdint>

#include "core/byte_sink.h"

namespace warpmeter::inline command {

class ConnectionBytes : public ByteSink {
 public:
  // So many bytes follow, by write(), which belong together, behind all that the chain has.
  virtual void begin(std::uint64_t& chain, std::uint64_t bytes) = 0;

  // It has had all. `number`: its place among connections.
  virtual void end(std::uint64_t number, std::uint64_t chain) = 0;
};

}  // namespace warpmeter::inline command
