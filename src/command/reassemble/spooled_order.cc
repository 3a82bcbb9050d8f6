#include "command/reassemble/spooled_order.h"

#include <algorithm>

namespace warpmeter::inline command {

SpooledOrder::SpooledOrder(std::span<const std::unique_ptr<StreamSpool>> spools) {
  for (const auto& spool : spools) {
    for (std::size_t run = 0; run < spool->runs(); ++run) {
      Cursor cursor{spool.get(), run, 0, {}, 0};
      if (refill(cursor)) heap_.add(std::move(cursor));
    }
  }
}

// False: the run has no more.
bool SpooledOrder::refill(Cursor& cursor) {
  const std::uint64_t left = cursor.spool->connections_in(cursor.run) - cursor.read;
  cursor.some.resize(std::min(left, kSome));
  cursor.at = 0;
  if (left == 0) return false;
  cursor.spool->read_run(cursor.run, cursor.read, cursor.some);
  cursor.read += cursor.some.size();
  return true;
}

bool SpooledOrder::next(Next& connection) {
  if (heap_.empty()) return false;
  Cursor& first = heap_.first();
  connection = {first.spool, first.first().chain};
  if (++first.at < first.some.size() || refill(first)) heap_.first_changed();
  else heap_.drop_first();
  return true;
}

}  // namespace warpmeter::inline command
