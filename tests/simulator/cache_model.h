// What a cache of a GPU has: lines of 128 bytes, in sectors of 32 that come one by one; sixteen lines a set, of which
// the one that was not used for longest makes room.
//
// Sizes of lines and sectors: NVIDIA, "CUDA C++ Best Practices Guide", "Coalesced Access to Global Memory". How sets
// are chosen and lines replaced is not published; this is as in the literature on caches.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cuda_machine {

inline constexpr std::uint64_t kSectorBytes = 32, kLineBytes = 128, kSectorsOfLine = kLineBytes / kSectorBytes;

class CacheModel {
 public:
  struct Outcome {
    bool hit = false;
    unsigned written_back = 0;  // sectors that had to leave and were not in memory yet
  };

  explicit CacheModel(std::size_t bytes);

  // `sector`: an address in sectors. It is there afterwards.
  Outcome read(std::uint64_t sector) { return use(sector, false); }
  Outcome write(std::uint64_t sector) { return use(sector, true); }  // nothing is brought: all of it is written
  // Somebody else has written these bytes.
  void forget(std::uint64_t address, std::uint64_t bytes);
  void forget_all() { ++age_; }

 private:
  static constexpr std::size_t kWays = 16;
  struct Line {
    std::uint64_t line = 0;
    std::uint64_t age = 0;              // of another age: nothing
    std::uint64_t used = 0;             // when
    std::uint8_t there = 0, dirty = 0;  // a bit a sector
  };
  using Set = std::array<Line, kWays>;

  Set& set_of(std::uint64_t line) { return sets_[line * 0x9e3779b97f4a7c15u % sets_.size()]; }
  Line* find(std::uint64_t line);
  Outcome use(std::uint64_t sector, bool writes);

  std::vector<Set> sets_;
  std::uint64_t age_ = 1, now_ = 0;
};

}  // namespace cuda_machine
