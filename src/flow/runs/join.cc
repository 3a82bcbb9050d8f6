// Putting together what memory has cut.
//
// A meter that runs out of memory must take states away. It takes idle flows first: they are expired. If that is not
// enough it evicts the longest idle. Either may go on, with a new state that knows nothing of the old one, and then
// there are two partials where there should be one flow. Nor does the meter know, when it evicts a flow, how that flow
// will end.
//
// Here is the place where all that comes out. Partials arrive in the order of (Flow Key, arrival): the parts of a flow
// follow each other as its packets did. Between two partials of a key there is exactly one question: what would the
// meter have found before the first packet of the later one, had it still had the earlier one's state? That is a
// boundary (flow_boundary.h), and the rule needs few facts: start, end, ISN, lowest number and first answer of the
// earlier part and whether it closed; time and numbers of the later part's first packet, and whether that is a SYN. So
// a partial carries these.
//
// If there is no boundary the two are one flow: sums, the earlier start, the later end. The result may go on once
// more. If there is one, the earlier part ended there, and its end reason is the boundary's, as if it had never been
// evicted. A partial that was not taken away, nor joined from parts that were, has said itself how it ended; nothing
// is asked.
//
// What is lost is what the sequence state would have told across the cut: a retransmission of a byte of the earlier
// part counts as new. No packet or byte is lost, and no flow becomes two records.
//
// It works a key at a time and holds one flow: ranges of keys can be joined by as many threads as there are.
#include "flow/runs/join.h"

#include <algorithm>
#include <utility>

#include "core/biflow_key.h"

namespace warpmeter::inline flow {
namespace {

// Only the end of a flow that expired or was evicted, or whose state was lost before, is in doubt; not that of one that
// left a sample.
bool may_go_on(const Partial& earlier) {
  if (earlier.removal != Removal::none) return true;
  return (earlier.part & kLostState) && earlier.end_reason != EndReason::lack_of_resources;
}

// The question that the meter would have asked before the first packet of `later`, had it still known `earlier`.
Boundary boundary_between(const Partial& earlier, const Partial& later, const Timeouts& timeouts) {
  const Origin origin{.isn = earlier.isn,
                      .lowest = earlier.lowest,
                      .answer = earlier.answer,
                      .isn_known = (earlier.part & kIsnKnown) != 0,
                      .lowest_known = (earlier.part & kLowestKnown) != 0,
                      .answered = (earlier.part & kAnswerKnown) != 0,
                      .ambiguous = (earlier.part & kAnsweredTwice) != 0,
                      .closing = (earlier.part & kClosing) != 0,
                      .ended = (earlier.part & kEndSeen) != 0};
  // Where the later part began with a SYN+ACK, `answer` is what that acknowledges.
  const NextPacket next{later.first_ns, later.isn, (later.part & kFirstIsOpening) != 0, (later.flags & kAnswerer) != 0,
                        later.answer};
  return boundary_before(earlier.start_ns, earlier.end_ns, origin, next, timeouts);
}

// The connection's values, where only one part saw a FIN: two FINs might have had two numbers.
void join_connection(Partial& whole, const Partial& earlier, const Partial& later) {
  const bool clear = earlier.fin_count == 0 || later.fin_count == 0;
  const Partial& with_fin = earlier.fin_count ? earlier : later;
  const bool valid = clear && (with_fin.flags & kHasConnection);
  whole.connection_bytes = valid ? with_fin.connection_bytes : 0;
  whole.connection_ns = valid ? with_fin.connection_ns : 0;
  whole.flags = static_cast<std::uint8_t>(valid ? whole.flags | kHasConnection : whole.flags & ~kHasConnection);
}

Partial put_together(const Partial& earlier, const Partial& later) {
  Partial whole = earlier;
  add_counters(whole, later);
  join_connection(whole, earlier, later);
  whole.flags |= later.flags & kOpener;
  whole.part |= kLostState | (later.part & (kClosing | kAnsweredTwice | kEndSeen));
  if (!(earlier.part & kAnswerKnown)) {
    whole.answer = later.answer;
    whole.part |= later.part & kAnswerKnown;
  }
  if (!(earlier.part & kIsnKnown)) {
    whole.isn = later.isn;
    whole.part |= later.part & kIsnKnown;
  }
  const bool lower = static_cast<std::int32_t>(later.lowest - earlier.lowest) < 0;
  if ((later.part & kLowestKnown) && (lower || !(earlier.part & kLowestKnown))) whole.lowest = later.lowest;
  whole.part |= later.part & kLowestKnown;
  whole.removal = later.removal;
  whole.end_reason = with_closing(later.end_reason, whole.part & kClosing);
  return whole;
}

// Of no flow. Seldom: kept out of the way of the others.
[[gnu::cold, gnu::noinline]] const Partial* behind_annotations(PartialCursor& partials) {
  while (partials.head() && is_annotation(*partials.head())) partials.advance();
  return partials.head();
}

}  // namespace

void JoinCounters::add(const JoinCounters& other) {
  evicted_joined += other.evicted_joined;
  late_packets += other.late_packets;
  for (std::size_t i = 0; i < flows_by_end_reason.size(); ++i) flows_by_end_reason[i] += other.flows_by_end_reason[i];
}

Join::Join(std::unique_ptr<PartialCursor> partials, const Timeouts& timeouts)
    : partials_(std::move(partials)), timeouts_(timeouts) {
  advance();
}

void Join::advance() {
  if (!annotations_.empty()) {
    if ((head_ = annotations_.next())) return;
    annotations_.clear();
  }
  const Partial* next = partials_->head();
  if (next && is_annotation(*next)) next = behind_annotations(*partials_);
  if (!next) {
    head_ = nullptr;
    return;
  }
  if (!spread_.is_idle() && !(next->key == current_.key)) [[unlikely]]
    spread_.clear();
  current_ = *next;
  head_ = &current_;
  if (!spread_.is_idle()) [[unlikely]]
    spread_.begin_record(current_.arrival, annotations_);
  for (partials_->advance(); (next = partials_->head()) && next->key == current_.key; partials_->advance()) {
    if (is_annotation(*next)) [[unlikely]] {
      spread_.take(*next, current_.arrival, annotations_);
      // What comes with the first packet may tell yet that it begins anew.
      if (next->arrival > current_.arrival && !goes_on(*next)) annotations_.bound();
    } else if (!absorb(*next)) {
      break;
    }
  }
  if (!annotations_.empty()) annotations_.give_to(current_);
  ++counters_.flows_by_end_reason[static_cast<std::size_t>(current_.end_reason)];
}

bool Join::absorb(const Partial& next) {
  if (!may_go_on(current_)) return false;
  const Boundary boundary = boundary_between(current_, next, timeouts_);
  if (boundary == Boundary::none) {
    count(current_.removal);
    current_ = put_together(current_, next);
    return true;
  }
  if (current_.removal != Removal::none) {  // now it is known how it ended
    current_.end_reason = with_closing(end_reason_of(boundary), current_.part & kClosing);
  }
  // The next part should have taken over the sequence state.
  if (current_.removal == Removal::expired && boundary == Boundary::active) ++counters_.late_packets;
  return false;
}

void Join::count(Removal removal) {
  counters_.evicted_joined += removal == Removal::evicted;
  counters_.late_packets += removal == Removal::expired;
}

namespace {

constexpr std::size_t kMany = 1024;

}  // namespace

OutputOrder::OutputOrder(std::unique_ptr<RecordCursor> flows, RunStoreOptions options)
    : flows_(std::move(flows)), options_(std::move(options)) {
  next_key();
}

void OutputOrder::advance() {
  if (many_) {
    many_->advance();
    head_ = many_->head();
    if (head_) return;
    many_.reset();
  } else if (++at_ < few_.size()) {
    head_ = &few_[at_];
    return;
  }
  next_key();
}

void OutputOrder::next_key() {
  few_.clear();
  at_ = 0;
  head_ = nullptr;
  if (!flows_->head()) return;
  const std::size_t most = std::max<std::size_t>(options_.memory_limit / sizeof(Partial), 1);
  std::unique_ptr<RunStore> store;
  const bool both = options_.order == biflow_output_order;
  const FlowKey key = flows_->head()->key, other = both ? reversed(key) : key;
  const auto belongs = [&](const FlowRecord& flow) { return flow.key == key || (both && flow.key == other); };
  for (; flows_->head() && belongs(*flows_->head()); flows_->advance()) {
    if (few_.size() == most) {
      if (!store) store = std::make_unique<RunStore>(options_);
      store->add(std::exchange(few_, {}));
    }
    // Many grow in long steps: memory that was never used costs less than to move all of them often.
    if (few_.size() == few_.capacity() && few_.size() >= kMany) few_.reserve(std::min(most, 8 * few_.size()));
    few_.push_back(whole(*flows_->head()));
  }
  if (store) {
    store->add(std::exchange(few_, {}));
    many_ = store->sorted(1)->in({});
    head_ = many_->head();
  } else {
    if (few_.size() > 1) sort_few();
    head_ = few_.data();
  }
}

void OutputOrder::sort_few() {
  const auto before = [](const FlowRecord& a, const FlowRecord& b) { return time_order(a, b) < 0; };
  if (!std::is_sorted(few_.begin(), few_.end(), before)) std::sort(few_.begin(), few_.end(), before);
}

}  // namespace warpmeter::inline flow
