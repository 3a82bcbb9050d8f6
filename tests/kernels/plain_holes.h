// The holes of one flow the plain way: a sorted list that is put in order again after every change.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/flow_state.h"
#include "core/holes.h"

namespace warpmeter::test {

// Holes as judge.h and apply.h want them. The state's `holes` is 1 while there are some.
class PlainHoles {
 public:
  PlainHoles(FlowState& flow, std::vector<Hole>& holes) : flow_(flow), holes_(holes) {}

  std::int64_t missing(std::int64_t begin, std::int64_t end) const {
    std::int64_t missing = 0;
    for (const Hole& hole : holes_) {
      missing += std::max<std::int64_t>(0, std::min(hole.end, end) - std::max(hole.begin, begin));
    }
    return missing;
  }
  std::int64_t total() const { return missing(INT64_MIN, INT64_MAX); }
  void clear() {
    holes_.clear();
    flow_.holes = 0;
  }
  void add_highest(std::int64_t begin, std::int64_t end) { add(begin, end); }
  void add_lowest(std::int64_t begin, std::int64_t end) { add(begin, end); }
  void fill(std::int64_t begin, std::int64_t end) {
    std::vector<Hole> left;
    for (const Hole& hole : holes_) {
      const Hole below{hole.begin, std::min(hole.end, begin)}, above{std::max(hole.begin, end), hole.end};
      for (const Hole& part : {below, above}) {
        if (part.begin < part.end) left.push_back(part);
      }
    }
    holes_ = std::move(left);
    flow_.holes = !holes_.empty();
  }

 private:
  void add(std::int64_t begin, std::int64_t end) {
    holes_.push_back({begin, end});
    std::sort(holes_.begin(), holes_.end(), [](const Hole& a, const Hole& b) { return a.begin < b.begin; });
    std::vector<Hole> joined;
    for (const Hole& hole : holes_) {
      if (!joined.empty() && joined.back().end == hole.begin) joined.back().end = hole.end;
      else joined.push_back(hole);
    }
    holes_ = std::move(joined);
    flow_.holes = 1;
  }

  FlowState& flow_;
  std::vector<Hole>& holes_;
};

inline bool same_holes(const std::vector<Hole>& a, const std::vector<Hole>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Hole& x, const Hole& y) { return x.begin == y.begin && x.end == y.end; });
}

}  // namespace warpmeter::test
