#include "reassemble/spooled_order.h"

#include <algorithm>

namespace warpmeter {

SpooledOrder::SpooledOrder(std::span<const std::unique_ptr<StreamSpool>> spools) {
  for (const auto& spool : spools) {
    for (const auto run : spool->runs()) {
      if (!run.empty()) heap_.push_back({spool.get(), run});
    }
  }
  std::ranges::make_heap(heap_, is_later);
}

bool SpooledOrder::next(std::vector<std::string_view>& fragments) {
  if (heap_.empty()) return false;
  std::ranges::pop_heap(heap_, is_later);
  Cursor& first = heap_.back();
  first.spool->fragments_of(first.left.front().chain, fragments);
  first.left = first.left.subspan(1);
  if (first.left.empty()) heap_.pop_back();
  else std::ranges::push_heap(heap_, is_later);
  return true;
}

}  // namespace warpmeter
