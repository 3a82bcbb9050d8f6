// The rules for one TCP segment, on unwrapped 64-bit numbers: no comparison here is modulo anything, but for what may
// lie on the other side of the circle.
#include "incarnation.h"

#include <algorithm>
#include <cstdlib>

namespace reference {
namespace {

constexpr int64_t most_ahead = int64_t{1} << 26;  // of a segment that fits
constexpr int64_t window = int64_t{1} << 30;      // TCP's largest

// Whichever way round is shorter.
int64_t circle_distance(int64_t from, uint32_t to) { return static_cast<int32_t>(to - static_cast<uint32_t>(from)); }

bool is_near(int64_t number, uint32_t sequence) { return std::abs(circle_distance(number, sequence)) <= most_ahead; }

}  // namespace

int64_t Incarnation::unwrap(uint32_t sequence) const {
  if (!extent_) return sequence;
  return extent_->highest + circle_distance(extent_->highest, sequence);
}

Incarnation::Span Incarnation::span_of(const TcpSegment& segment, int64_t start) const {
  const int64_t payload = start + segment.syn(), payload_end = payload + segment.payload;
  return {start, payload, payload_end, payload_end + segment.fin()};
}

SynKind Incarnation::kind_of(const TcpSegment& syn, bool older) const {
  if (syn_ && syn.sequence == syn_->sequence) return fins_.empty() && !reset_ ? SynKind::own : SynKind::foreign;
  if (!syn_ && extent_) {
    const uint32_t below = static_cast<uint32_t>(extent_->lowest) - syn.sequence;  // 1: right below
    if (below >= 1 && below <= (older ? most_ahead + 1 : 1)) return SynKind::own;
  }
  const bool answers = syn.ack() && answer_ && syn.acknowledgement == *answer_;
  return answers && (answered_twice_ || !closing_) ? SynKind::second_answer : SynKind::foreign;
}

bool Incarnation::is_suspicious(int64_t start) const {
  if (!extent_) return false;
  const int64_t ahead = start - extent_->highest;
  if (ahead > most_ahead || ahead <= -window) return true;
  return syn_ && start < syn_->position && extent_->highest - syn_->position < window;
}

bool Incarnation::confirms(const TcpSegment& segment) const {
  if (!candidate_ || !is_near(candidate_->span.end, segment.sequence)) return false;
  return is_suspicious(unwrap(segment.sequence)) || !is_near(extent_->highest, segment.sequence);
}

void Incarnation::forget() {
  extent_.reset();
  seen_ = {};
  syn_.reset();
  fins_.clear();
  reset_ = false;
  candidate_.reset();
}

void Incarnation::take_candidate(Verdict& verdict) {
  const Candidate taken = *candidate_;
  candidate_.reset();
  if (taken.span.start < extent_->highest) {
    missing_before_ = missing_bytes();
    jumped_ = true;
    forget();
  }
  enter(taken.span);
  if (taken.fin_time) enter_fin(taken.span.payload_end, *taken.fin_time, verdict);
}

void Incarnation::judge(const TcpSegment& segment, const Span& span, Verdict& verdict) const {
  const bool plain = !segment.syn() && !segment.fin();
  if (plain && segment.payload <= 1 && extent_ && span.start == extent_->highest - 1) {
    verdict.keep_alive = true;
  } else if (segment.payload > 0) {
    verdict.bytes_again = seen_.count(span.payload, span.payload_end);
    verdict.out_of_order = verdict.bytes_again == 0 && extent_ && span.payload < extent_->highest;
  }
}

void Incarnation::enter(const Span& span) {
  seen_.insert(span.start, span.end);
  if (!extent_) extent_ = Extent{span.start, span.end};
  extent_->lowest = std::min(extent_->lowest, span.start);
  extent_->highest = std::max(extent_->highest, span.end);
}

void Incarnation::enter_fin(int64_t number, int64_t time, Verdict& verdict) {
  if (fins_.empty()) first_fin_time_ = time;
  verdict.first_fin |= fins_.empty();
  fins_.insert(number);
}

Verdict Incarnation::take(const TcpSegment& segment, int64_t time, bool older) {
  Verdict verdict;
  const SynKind kind = segment.syn() ? kind_of(segment, older) : SynKind::own;
  if (segment.fin() || segment.rst()) closing_ = true;
  if (segment.rst()) {
    const int64_t number = unwrap(segment.sequence);
    reset_ |= syn_ && number > syn_->position && number <= extent_->highest;
    return verdict;
  }
  if (segment.syn() && segment.ack() && !answer_) answer_ = segment.acknowledgement;
  if (kind == SynKind::second_answer) {
    answered_twice_ = true;
    if (seen_.count() == (syn_ ? 1 : 0)) forget();
    return verdict;
  }
  if (!segment.syn() && confirms(segment)) {
    take_candidate(verdict);
  } else if (!segment.syn() && is_suspicious(unwrap(segment.sequence))) {
    const Span span = span_of(segment, unwrap(segment.sequence));
    candidate_ = Candidate{span, segment.fin() ? std::optional(time) : std::nullopt};
    verdict.stray = true;
    return verdict;
  }
  int64_t start = unwrap(segment.sequence);
  if (segment.syn() && kind == SynKind::own && extent_) {
    const int64_t lowest = syn_ ? syn_->position : extent_->lowest;
    start = lowest - static_cast<int64_t>(static_cast<uint32_t>(lowest) - segment.sequence);
  }
  const Span span = span_of(segment, start);
  candidate_.reset();
  judge(segment, span, verdict);
  enter(span);
  if (segment.syn()) syn_ = Syn{segment.sequence, start, syn_ ? syn_->first_time : time};
  if (segment.fin()) enter_fin(span.payload_end, time, verdict);
  return verdict;
}

int64_t Incarnation::missing_bytes() const {
  return missing_before_ + (extent_ ? extent_->highest - extent_->lowest - seen_.count() : 0);
}

std::optional<ConnectionValues> Incarnation::connection() const {
  if (jumped_ || !syn_ || fins_.size() != 1) return {};
  const int64_t bytes = *fins_.begin() - syn_->position - 1;
  if (bytes < 0) return {};
  const auto [earlier, later] = std::minmax(first_fin_time_, syn_->first_time);
  return ConnectionValues{bytes, later - earlier};
}

}  // namespace reference
