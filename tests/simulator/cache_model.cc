#include "simulator/cache_model.h"

#include <algorithm>
#include <bit>

namespace cuda_machine {

CacheModel::CacheModel(std::size_t bytes) : sets_(std::max<std::size_t>(1, bytes / kLineBytes / kWays)) {}

CacheModel::Line* CacheModel::find(std::uint64_t line) {
  Set& set = set_of(line);
  const auto at = std::find_if(set.begin(), set.end(), [&](const Line& l) { return l.age == age_ && l.line == line; });
  return at == set.end() ? nullptr : &*at;
}

CacheModel::Outcome CacheModel::use(std::uint64_t sector, bool writes) {
  const std::uint64_t number = sector / kSectorsOfLine;
  const auto bit = static_cast<std::uint8_t>(1u << sector % kSectorsOfLine);
  Outcome outcome;
  Line* line = find(number);
  if (!line) {
    Set& set = set_of(number);
    line = &*std::min_element(set.begin(), set.end(), [&](const Line& a, const Line& b) {
      return (a.age == age_ ? a.used : 0) < (b.age == age_ ? b.used : 0);
    });
    if (line->age == age_) outcome.written_back = static_cast<unsigned>(std::popcount(line->dirty));
    *line = {.line = number, .age = age_};
  }
  outcome.hit = line->there & bit;
  line->used = ++now_;
  line->there |= bit;
  if (writes) line->dirty |= bit;
  return outcome;
}

void CacheModel::forget(std::uint64_t address, std::uint64_t bytes) {
  for (std::uint64_t line = address / kLineBytes; line * kLineBytes < address + bytes; ++line) {
    if (Line* const there = find(line)) there->age = 0;
  }
}

}  // namespace cuda_machine
