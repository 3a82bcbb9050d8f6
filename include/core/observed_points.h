// Where the first packet of a flow was observed (RFC 7011, section 2: Observation Point), and which way it went there.
// A live capture numbers its packets such that the number tells both; what numbers the flow (FlowRecord::arrival) then
// tells them of the Flow Record, and no state of a flow has to keep them.
//
// A number is 1 + (packet << kObservedBits | place). Orders and distances of packets stay as they are.
//
// Threads: any, at once.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace warpmeter {

// The place: which Observation Point, whether this host sent it there, and a bit that is 0: parts of a flow that begin
// with one packet are told apart by adding 1 (arrival_behind() in flow_rules.h).
inline constexpr unsigned kObservedBits = 12;
inline constexpr std::uint32_t kMostObservedPoints = (1U << (kObservedBits - 2)) - 1;

constexpr std::uint32_t place_of(std::uint32_t point, bool egress) { return point << 2 | std::uint32_t{egress} << 1; }
constexpr std::uint64_t observed_number(std::uint64_t packet, std::uint32_t place) {
  return 1 + (packet << kObservedBits | place);
}

constexpr std::uint32_t place_of(std::uint64_t number) {
  return static_cast<std::uint32_t>(number - 1) & ((1U << kObservedBits) - 1);
}

class ObservedPoints {
 public:
  static constexpr std::size_t kLongestName = 64;

  struct Point {
    std::array<char, kLongestName> letters;
    std::uint8_t length = 0;
    std::uint32_t interface = 0;  // its number in IPFIX and NetFlow: ifIndex, never 0

    std::string_view name() const { return {letters.data(), length}; }
  };
  struct Place {
    const Point* point = nullptr;  // of this; null: not known
    bool egress = false;           // this host sent the packet
  };

  // Returns the point's number, or 0, which is none, where there are too many. `interface`: ifIndex; 0: it has none,
  // and gets its own number. Of the name, 64 characters count; those that would need quotes in a file become `?`.
  std::uint32_t add(std::string_view name, std::uint32_t interface) {
    const std::lock_guard lock(adding_);
    const std::uint32_t number = count_.load(std::memory_order_relaxed) + 1;
    if (number > kMostObservedPoints) return 0;
    Point& point = (*points_)[number];
    point.length = 0;
    for (const char c : name.substr(0, kLongestName)) point.letters[point.length++] = is_plain(c) ? c : '?';
    point.interface = interface ? interface : number;
    count_.store(number, std::memory_order_release);
    return number;
  }

  // Of a Flow Record, by its arrival.
  Place of(std::uint64_t arrival) const {
    const std::uint32_t place = place_of(arrival), number = place >> 2;
    const bool known = number > 0 && number <= count_.load(std::memory_order_acquire);
    if (!known) return {};
    return {&(*points_)[number], (place & 2) != 0};
  }

 private:
  static constexpr bool is_plain(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("._-:@+/").find(c) != std::string_view::npos;
  }

  std::unique_ptr<std::array<Point, kMostObservedPoints + 1>> points_ =
      std::make_unique<std::array<Point, kMostObservedPoints + 1>>();
  std::atomic<std::uint32_t> count_ = 0;
  std::mutex adding_;  // held by who adds; who reads goes by count_, which is stored last
};

}  // namespace warpmeter
