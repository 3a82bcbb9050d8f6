#include "analysis/page/time_series.h"

#include <algorithm>
#include <array>

namespace warpmeter::inline analysis {
namespace {

constexpr std::int64_t kMs = 1'000'000, kSecond = 1000 * kMs, kMinute = 60 * kSecond, kHour = 60 * kMinute;

// Each divides the next.
constexpr std::array<std::int64_t, 21> kWidths = {
    kMs,         2 * kMs,      10 * kMs,     20 * kMs,   100 * kMs,   200 * kMs,    kSecond,
    2 * kSecond, 10 * kSecond, 30 * kSecond, kMinute,    2 * kMinute, 10 * kMinute, 30 * kMinute,
    kHour,       2 * kHour,    6 * kHour,    12 * kHour, 24 * kHour,  48 * kHour,   96 * kHour};

constexpr int kFraction = 32;

}  // namespace

std::int64_t wider_than(std::int64_t width_ns) {
  const auto wider = std::upper_bound(kWidths.begin(), kWidths.end(), width_ns);
  return wider == kWidths.end() ? 2 * width_ns : *wider;
}

std::int64_t TimeSeries::bucket_of(std::int64_t ns) const { return floor_divide(ns, width_); }

void TimeSeries::settle() {
  for (std::size_t m = 0; m < sums_.size(); ++m) {
    Fixed running = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      running += steps_[m][i];
      sums_[m][i] += running;
      steps_[m][i] = 0;
    }
  }
}

void TimeSeries::merge_buckets() {
  const std::int64_t wider = wider_than(width_), factor = wider / width_;
  const std::int64_t base = floor_divide(base_, factor);
  const auto last = static_cast<std::size_t>(floor_divide(base_ + static_cast<std::int64_t>(size_) - 1, factor) - base);
  for (std::vector<Fixed>& sums : sums_) {
    for (std::size_t i = 0; i < size_; ++i) {
      const Fixed value = sums[i];
      sums[i] = 0;
      sums[static_cast<std::size_t>(floor_divide(base_ + static_cast<std::int64_t>(i), factor) - base)] += value;
    }
    sums.resize(last + 1);
  }
  for (std::vector<Fixed>& steps : steps_) steps.assign(last + 1, 0);
  width_ = wider;
  base_ = base;
  size_ = last + 1;
}

void TimeSeries::make_room(std::int64_t start_ns, std::int64_t end_ns) {
  const auto wanted_first = [&] { return size_ ? std::min(base_, bucket_of(start_ns)) : bucket_of(start_ns); };
  const auto wanted_last = [&] {
    return size_ ? std::max(base_ + static_cast<std::int64_t>(size_) - 1, bucket_of(end_ns)) : bucket_of(end_ns);
  };
  const auto fits = [&] { return wanted_last() - wanted_first() < static_cast<std::int64_t>(kMostBuckets); };
  if (size_ && bucket_of(start_ns) >= base_ && bucket_of(end_ns) < base_ + static_cast<std::int64_t>(size_)) return;
  if (!fits()) settle();
  while (!fits()) {
    if (size_) merge_buckets();
    else width_ = wider_than(width_);
  }
  const std::int64_t first = wanted_first(), last = wanted_last();
  const auto before = static_cast<std::size_t>(size_ ? base_ - first : 0);
  base_ = first;
  size_ = static_cast<std::size_t>(last - first + 1);
  for (auto* const lists : {&sums_, &steps_}) {
    for (std::vector<Fixed>& list : *lists) {
      list.insert(list.begin(), before, 0);
      list.resize(size_, 0);
    }
  }
}

void TimeSeries::add(std::int64_t start_ns, std::int64_t end_ns, std::span<const std::uint64_t> values) {
  end_ns = std::max(start_ns, end_ns);
  make_room(start_ns, end_ns);
  const auto first = static_cast<std::size_t>(bucket_of(start_ns) - base_);
  const auto last = static_cast<std::size_t>(bucket_of(end_ns) - base_);
  if (first == last) {
    for (std::size_t m = 0; m < values.size(); ++m) sums_[m][first] += static_cast<Fixed>(values[m]) << kFraction;
    return;
  }
  // Times may lie further apart than their type says; as unsigned numbers their distance is right.
  const std::uint64_t duration = static_cast<std::uint64_t>(end_ns) - static_cast<std::uint64_t>(start_ns);
  const std::uint64_t second_begins = static_cast<std::uint64_t>(bucket_of(start_ns) + 1) * width_;
  const std::uint64_t of_first = fraction_of(second_begins - static_cast<std::uint64_t>(start_ns), duration);
  const std::uint64_t of_inner = last - first > 1 ? fraction_of(static_cast<std::uint64_t>(width_), duration) : 0;
  const std::uint64_t of_last = (std::uint64_t{1} << kFraction) - of_first - of_inner * (last - first - 1);
  for (std::size_t m = 0; m < values.size(); ++m) {
    if (values[m] == 0) continue;
    const Fixed value = values[m], inner = value * of_inner;
    sums_[m][first] += value * of_first;
    sums_[m][last] += value * of_last;
    steps_[m][first + 1] += inner;
    steps_[m][last] -= inner;
  }
}

std::vector<double> TimeSeries::values(std::size_t measure) const {
  std::vector<double> result(size_);
  Fixed running = 0;
  for (std::size_t i = 0; i < size_; ++i) {
    running += steps_[measure][i];
    result[i] = static_cast<double>(sums_[measure][i] + running) / static_cast<double>(std::uint64_t{1} << kFraction);
  }
  return result;
}

std::uint64_t TimeSeries::total(std::size_t measure) const {
  Fixed total = 0, running = 0;
  for (std::size_t i = 0; i < size_; ++i) total += sums_[measure][i] + (running += steps_[measure][i]);
  return static_cast<std::uint64_t>(total >> kFraction);
}

}  // namespace warpmeter::inline analysis
