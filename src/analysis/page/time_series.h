// Sums over time in a bounded number of buckets, without knowing beforehand how long the time is.
//
// What is added counts evenly over its duration. Buckets begin as narrow as 1 ms; when there would be more than
// kMostBuckets, neighbours are merged, from one width that people count in to the next (1 ms, 2 ms, 10 ms, ... 1 s, 2
// s, 10 s, 30 s, ... 1 day, 2 days, 4 days, ...). Buckets begin at multiples of their width since 1970.
//
// Sums are kept in units of 2^-32, and nothing is lost: over all buckets they are what was added, exactly. Adding takes
// the same time however many buckets are touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpmeter::inline analysis {

// The next width that people count in, a multiple of this one; and the number of the interval of a width.
std::int64_t wider_than(std::int64_t width_ns);
inline std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0); }
// part / whole in units of 2^-32. REQUIRES: part <= whole, whole > 0.
inline std::uint64_t fraction_of(std::uint64_t part, std::uint64_t whole) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(part) << 32) / whole);
}

class TimeSeries {
 public:
  static constexpr std::size_t kMostBuckets = 480;

  // `measures`: how many sums each bucket has.
  explicit TimeSeries(std::size_t measures) : sums_(measures), steps_(measures) {}

  // REQUIRES: a value for each measure. An end before the start counts as the start.
  void add(std::int64_t start_ns, std::int64_t end_ns, std::span<const std::uint64_t> values);

  std::size_t size() const { return size_; }
  std::int64_t width_ns() const { return width_; }
  // Where the first bucket begins, ms since 1970; a double, as this may be before the first time of an int64.
  double first_ms() const { return static_cast<double>(base_) * (static_cast<double>(width_) / 1e6); }
  std::vector<double> values(std::size_t measure) const;  // one a bucket
  std::uint64_t total(std::size_t measure) const;

 private:
  __extension__ using Fixed = __int128;  // in units of 2^-32
  std::int64_t bucket_of(std::int64_t ns) const;
  void make_room(std::int64_t start_ns, std::int64_t end_ns);
  void settle();  // steps into sums
  void merge_buckets();

  std::int64_t width_ = 1'000'000;
  std::int64_t base_ = 0;  // number of the first bucket: that time divided by the width
  std::size_t size_ = 0;
  // By measure, then bucket. A bucket's value is its sum and all steps up to it.
  std::vector<std::vector<Fixed>> sums_;
  std::vector<std::vector<Fixed>> steps_;
};

}  // namespace warpmeter::inline analysis
