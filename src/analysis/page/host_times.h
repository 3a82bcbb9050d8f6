// What each host retransmitted when, so that a reader of the page can rank the hosts of a part of the time.
//
// As in a TimeSeries, a flow counts evenly over its duration, and intervals begin at multiples of their width since
// 1970. There are at most kMostIntervals of them, and at most kMostCells for all hosts together: with more hosts they
// are wider. A host has cells from its first interval to its last. Sums are whole numbers of 2^-16 segments, and do not
// depend on the order in which flows come. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpmeter::inline analysis {

class HostTimes {
 public:
  static constexpr std::size_t kMostIntervals = 96;
  static constexpr std::size_t kMostCells = std::size_t{1} << 20;

  explicit HostTimes(std::size_t most_cells = kMostCells) : most_cells_(most_cells), hosts_(1) {}

  // REQUIRES: host > 0. An end before the start counts as the start.
  void add(std::uint32_t host, std::int64_t start_ns, std::int64_t end_ns, std::uint64_t data_segments,
           std::uint64_t retransmitted);
  // The host is no more; its number may be another one's from now on.
  void forget(std::uint32_t host);

  // Hundredths of segments, by interval from number `first` on.
  struct Row {
    std::uint32_t host = 0;  // 0: all hosts together
    std::size_t first = 0;
    std::vector<std::uint64_t> data_segments, retransmitted;
  };
  struct Ranking {
    double first_ms = 0;  // a double, as this may be before the first time of an int64
    std::int64_t width_ns = 0;
    std::size_t intervals = 0;
    Row all;
    std::vector<Row> hosts;
  };
  // The hosts that are, in any run of neighbouring intervals, among the first `rows` by what they retransmitted there;
  // where that is equal, `order` decides, in which they stand here. Intervals are put together until these hosts have
  // no more than `most_numbers` cells, so that there is always an answer, and an exact one. REQUIRES: numbers of hosts.
  Ranking rank(std::span<const std::uint32_t> order, std::size_t rows, std::size_t most_numbers) const;

 private:
  struct Cell {
    std::uint64_t data_segments = 0, retransmitted = 0;

    void operator+=(const Cell& other) {
      data_segments += other.data_segments;
      retransmitted += other.retransmitted;
    }
    void operator-=(const Cell& other) {
      data_segments -= other.data_segments;
      retransmitted -= other.retransmitted;
    }
  };
  // Of neighbouring intervals. Most hosts of a large capture have one, which takes no memory of its own.
  struct Cells {
    std::int64_t first = 0;  // number of the interval since 1970
    std::size_t size = 0;
    Cell only;
    std::vector<Cell> several = {};  // if there are more than one

    Cell* begin() { return size > 1 ? several.data() : &only; }
    Cell* end() { return begin() + size; }
    const Cell* begin() const { return size > 1 ? several.data() : &only; }
    const Cell* end() const { return begin() + size; }
    std::int64_t last() const { return first + static_cast<std::int64_t>(size) - 1; }
    void reach(std::int64_t from, std::int64_t to);
  };

  bool has_room(std::int64_t first, std::int64_t last) const;  // for these intervals
  void widen();
  static Cells widened(const Cells& cells, std::int64_t factor);
  static Row row_of(std::uint32_t host, const Cells& cells, std::int64_t first);

  const std::size_t most_cells_;
  std::int64_t width_ = 1'000'000;
  std::size_t cells_ = 0;
  std::vector<Cells> hosts_;  // number 0: all together, also those that were forgotten
};

}  // namespace warpmeter::inline analysis
