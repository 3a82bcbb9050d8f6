#include "analysis/page/host_times.h"

#include <algorithm>
#include <limits>

#include "analysis/page/time_series.h"

namespace warpmeter::inline analysis {
namespace {

constexpr int kUnit = 16;                                        // bits behind the point
constexpr std::uint64_t kMostSegments = std::uint64_t{1} << 40;  // of a flow; more is no count of segments

// `value` times a fraction in units of 2^-32, in units of 2^-16.
std::uint64_t part_of(std::uint64_t value, std::uint64_t fraction) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<Wide>(value) * fraction >> kUnit);
}

std::uint64_t hundredths(std::uint64_t units) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(units) * 100 + (1 << (kUnit - 1))) >> kUnit);
}

// The first `rows` by value of each run of intervals. Hosts are offered in their order, so that of equals the earlier
// one is there already.
class Firsts {
 public:
  Firsts(std::size_t intervals, std::size_t rows) : intervals_(intervals), rows_(rows), least_(intervals + 1) {
    runs_.resize(intervals * (intervals + 1));
  }

  // `upto`: what the host has before each interval, and in all, from interval `first` to `last` growing.
  void offer(std::uint32_t place, const std::vector<std::uint64_t>& upto, std::size_t first, std::size_t last) {
    std::uint64_t most = 0;
    for (std::size_t i = first; i <= last; ++i) most = std::max(most, upto[i + 1] - upto[i]);
    for (std::size_t length = 1; length <= intervals_; ++length) {
      if (std::min(upto[intervals_], most * length) <= least_[length]) continue;
      const std::size_t from = first + 1 > length ? first + 1 - length : 0;
      for (std::size_t at = from; at <= std::min(last, intervals_ - length); ++at) {
        take(runs_[length * intervals_ + at - intervals_], upto[at + length] - upto[at], place);
        ++steps_;
      }
    }
  }

  // What no host that comes later can be below, by length of the run.
  void know_least() {
    for (std::size_t length = 1; length <= intervals_; ++length) {
      least_[length] = ~std::uint64_t{0};
      for (std::size_t at = 0; at + length <= intervals_; ++at) {
        const Run& run = runs_[length * intervals_ + at - intervals_];
        least_[length] = std::min(least_[length], run.size() < rows_ ? 0 : run.front().first);
      }
    }
  }

  std::size_t steps() const { return steps_; }

  std::vector<std::uint32_t> places() const {
    std::vector<std::uint32_t> all;
    for (const Run& run : runs_) {
      for (const auto& [value, place] : run) all.push_back(place);
    }
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

 private:
  using Run = std::vector<std::pair<std::uint64_t, std::uint32_t>>;  // a heap, the last one on top

  static bool goes_before(const Run::value_type& a, const Run::value_type& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  }

  void take(Run& run, std::uint64_t value, std::uint32_t place) const {
    if (value == 0 || (run.size() == rows_ && value <= run.front().first)) return;
    if (run.empty()) run.reserve(rows_);
    if (run.size() == rows_) {
      std::ranges::pop_heap(run, goes_before);
      run.pop_back();
    }
    run.emplace_back(value, place);
    std::ranges::push_heap(run, goes_before);
  }

  const std::size_t intervals_, rows_;
  std::size_t steps_ = 0;
  std::vector<Run> runs_;             // by length, then where they begin
  std::vector<std::uint64_t> least_;  // by length
};

// Two intervals stay two where they lie on both sides of 1970, however wide they are.
bool can_widen(std::size_t intervals, std::int64_t width) {
  return intervals > 2 && width <= std::numeric_limits<std::int64_t>::max() / 4;
}

constexpr std::size_t kMostSteps = 50'000'000;  // some 0.1 s
constexpr std::size_t kHostsBetween = 64;       // looks at what is least

}  // namespace

void HostTimes::Cells::reach(std::int64_t from, std::int64_t to) {
  if (size == 0) first = from;
  else from = std::min(from, first), to = std::max(to, last());
  const auto wanted = static_cast<std::size_t>(to - from + 1);
  if (wanted == size) return;
  if (wanted > 1) {
    if (size == 1) several.assign(1, only);
    several.insert(several.begin(), static_cast<std::size_t>(first - from), Cell{});
    several.resize(wanted);
  }
  first = from;
  size = wanted;
}

HostTimes::Cells HostTimes::widened(const Cells& of, std::int64_t factor) {
  Cells wider;
  if (of.size == 0) return wider;
  wider.reach(floor_divide(of.first, factor), floor_divide(of.last(), factor));
  std::int64_t number = of.first;
  for (const Cell& cell : of) wider.begin()[floor_divide(number++, factor) - wider.first] += cell;
  return wider;
}

void HostTimes::widen() {
  const std::int64_t wider = wider_than(width_), factor = wider / width_;
  cells_ = 0;
  for (Cells& of : hosts_) {
    of = widened(of, factor);
    cells_ += of.size;
  }
  width_ = wider;
}

bool HostTimes::has_room(std::int64_t first, std::int64_t last) const {
  const Cells& all = hosts_[0];
  if (all.size > 0) {
    first = std::min(first, all.first);
    last = std::max(last, all.last());
  }
  return last - first < static_cast<std::int64_t>(kMostIntervals);
}

void HostTimes::add(std::uint32_t host, std::int64_t start_ns, std::int64_t end_ns, std::uint64_t data_segments,
                    std::uint64_t retransmitted) {
  end_ns = std::max(start_ns, end_ns);
  if (host >= hosts_.size()) hosts_.resize(host + 1);
  std::int64_t first = floor_divide(start_ns, width_), last = floor_divide(end_ns, width_);
  while (!has_room(first, last)) {
    widen();
    first = floor_divide(start_ns, width_);
    last = floor_divide(end_ns, width_);
  }
  const auto inner = static_cast<std::uint64_t>(last - first);
  // Times may lie further apart than their type says; as unsigned numbers their distance is right.
  const std::uint64_t duration = static_cast<std::uint64_t>(end_ns) - static_cast<std::uint64_t>(start_ns);
  const std::uint64_t second_begins = static_cast<std::uint64_t>(first + 1) * static_cast<std::uint64_t>(width_);
  const std::uint64_t of_first =
      inner > 0 ? fraction_of(second_begins - static_cast<std::uint64_t>(start_ns), duration) : 0;
  const std::uint64_t of_inner = inner > 1 ? fraction_of(static_cast<std::uint64_t>(width_), duration) : 0;
  const Cell all{std::min(data_segments, kMostSegments), std::min(retransmitted, kMostSegments)};
  const auto part = [&](std::uint64_t fraction) {
    return Cell{part_of(all.data_segments, fraction), part_of(all.retransmitted, fraction)};
  };
  const Cell begin = part(of_first), middle = part(of_inner);
  Cell end{all.data_segments << kUnit, all.retransmitted << kUnit};
  if (inner > 0) end -= begin;
  for (std::uint64_t i = 1; i < inner; ++i) end -= middle;
  for (Cells* const of : {&hosts_[0], &hosts_[host]}) {
    cells_ -= of->size;
    of->reach(first, last);
    cells_ += of->size;
    Cell* const cell = of->begin() + (first - of->first);
    if (inner > 0) cell[0] += begin;
    for (std::uint64_t i = 1; i < inner; ++i) cell[i] += middle;
    cell[inner] += end;
  }
  while (cells_ > most_cells_ && can_widen(hosts_[0].size, width_)) widen();
}

void HostTimes::forget(std::uint32_t host) {
  if (host >= hosts_.size()) return;
  cells_ -= hosts_[host].size;
  hosts_[host] = {};
}

// Sums up to each interval are rounded, so that of any run of them the sum is right to a hundredth.
HostTimes::Row HostTimes::row_of(std::uint32_t host, const Cells& of, std::int64_t first) {
  Row row{.host = host,
          .first = of.size ? static_cast<std::size_t>(of.first - first) : 0,
          .data_segments = {},
          .retransmitted = {}};
  Cell sum;
  for (const Cell& cell : of) {
    const Cell before = sum;
    sum += cell;
    row.data_segments.push_back(hundredths(sum.data_segments) - hundredths(before.data_segments));
    row.retransmitted.push_back(hundredths(sum.retransmitted) - hundredths(before.retransmitted));
  }
  return row;
}

HostTimes::Ranking HostTimes::rank(std::span<const std::uint32_t> order, std::size_t rows,
                                   std::size_t most_numbers) const {
  for (std::int64_t width = width_;; width = wider_than(width)) {
    const std::int64_t factor = width / width_;
    const Cells all = widened(hosts_[0], factor);
    Ranking ranking{.first_ms = static_cast<double>(all.first) * (static_cast<double>(width) / 1e6),
                    .width_ns = width,
                    .intervals = all.size,
                    .all = {},
                    .hosts = {}};
    ranking.all = row_of(0, all, all.first);
    Firsts firsts(ranking.intervals, rows);
    std::vector<std::uint64_t> upto(ranking.intervals + 1);
    const bool is_last = !can_widen(ranking.intervals, width);
    for (std::size_t place = 0; place < order.size() && (is_last || firsts.steps() < kMostSteps); ++place) {
      const Row row = row_of(order[place], widened(hosts_[order[place]], factor), all.first);
      if (row.retransmitted.empty()) continue;
      const std::size_t last = row.first + row.retransmitted.size() - 1;
      for (std::size_t i = 0; i < ranking.intervals; ++i) {
        upto[i + 1] = upto[i] + (i >= row.first && i <= last ? row.retransmitted[i - row.first] : 0);
      }
      firsts.offer(static_cast<std::uint32_t>(place), upto, row.first, last);
      if (place % kHostsBetween == kHostsBetween - 1) firsts.know_least();
    }
    std::size_t numbers = 0;
    for (const std::uint32_t place : firsts.places()) {
      ranking.hosts.push_back(row_of(order[place], widened(hosts_[order[place]], factor), all.first));
      numbers += ranking.hosts.back().retransmitted.size();
    }
    if (is_last || (numbers <= most_numbers && firsts.steps() < kMostSteps)) return ranking;
  }
}

}  // namespace warpmeter::inline analysis
