#include "flow/runs/annotation_spread.h"

#include <algorithm>
#include <utility>

namespace warpmeter::inline flow {
namespace {

constexpr std::size_t kFewUntil = 64;  // before those are looked for that reach no more

}  // namespace

void AnnotationSpread::clear() {
  open_ = connection_of_record_ = pushed_out_ = 0;
  from_before_ = 0;
  of_connection_.clear();
  until_.clear();
  still_reach_ = 0;
  reaches_ = false;
}

void AnnotationSpread::begin_record(std::uint64_t arrival, PartsBehind& record) {
  connection_of_record_ = open_;
  for (const FlowRecord& part : of_connection_) record.add(part);
  std::erase_if(until_, [&](const Until& until) { return until.packet < arrival; });
  for (const Until& until : until_) record.add(brought_by(arrival, until.part));
  from_before_ = record.size();
}

// The Flow Record begins with a packet behind the connection that was open: it has nothing of that.
void AnnotationSpread::begin_anew(PartsBehind& record) {
  connection_of_record_ = open_;
  record.drop_first(std::exchange(from_before_, 0));
}

void AnnotationSpread::begin_connection(std::uint64_t number, bool joins) {
  const bool is_of_record = connection_of_record_ == 0 || connection_of_record_ == pushed_out_;
  if (joins && is_of_record) connection_of_record_ = number;
  open_ = number;
  pushed_out_ = 0;
  of_connection_.clear();
}

void AnnotationSpread::take(const FlowRecord& part, std::uint64_t arrival, PartsBehind& record) {
  using Kind = AnnotationReach::Kind;
  const AnnotationReach reach = reach_of(part);
  reaches_ = reaches_ || reach.kind != Kind::record;
  switch (reach.kind) {
    case Kind::record: record.add(part); break;
    case Kind::records:
      record.add(part);
      if (until_.size() > 2 * still_reach_ + kFewUntil) {
        std::erase_if(until_, [&](const Until& until) { return until.packet < part.arrival; });
        still_reach_ = until_.size();
      }
      until_.push_back({part, reach.number});
      break;
    case Kind::connection:
      if (reach.number == open_) of_connection_.push_back(part);
      if (reach.number == connection_of_record_) record.add(part);
      break;
    case Kind::begin:
    case Kind::join:
      begin_connection(reach.number, reach.kind == Kind::join);
      if (part.arrival == arrival) begin_anew(record);
      break;
    case Kind::end:
    case Kind::pushed_out:
      if (reach.number != open_) break;
      pushed_out_ = reach.kind == Kind::pushed_out ? open_ : 0;
      open_ = 0;
      of_connection_.clear();
      if (part.arrival == arrival) begin_anew(record);
      break;
  }
}

}  // namespace warpmeter::inline flow
