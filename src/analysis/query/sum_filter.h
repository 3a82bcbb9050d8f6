// A filter of sums, in the language of filters (filter.h): `show --sum KEYS --having EXPR`.
//
// Its columns are the keys, as they were written ("src_addr/24") or, but for times, without what is behind the slash,
// and those of sum_columns(). A sum of a prefix is met by each address in it: of src_addr/24, "src_addr = 10.0.0.7" by
// 10.0.0.0/24. Immutable; any thread may ask.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/query/sums.h"

namespace warpmeter::inline analysis {

class SumFilter {
 public:
  // Throws Error (usage), one line with the position, where `text` is no expression.
  SumFilter(const std::string& text, std::vector<SumKey> keys);

  bool matches(const SumRow& row) const;

 private:
  struct Node;

  std::vector<SumKey> keys_;
  std::shared_ptr<const Node> root_;
};

}  // namespace warpmeter::inline analysis
