// Which work of streams comes before which, whatever order the machine does it in.
//
// Ordered are: the work of one stream; what waits for an event, after what the event was recorded behind; what the host
// adds, after what it has waited for. Source: NVIDIA, "CUDA Programming Guide", streams and events.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cuda_machine {

// The Nth work of a stream.
struct Work {
  std::uint32_t stream = 0;
  std::uint32_t number = 0;  // 0: none

  friend bool operator==(const Work&, const Work&) = default;
};

// Under the lock of the runtime. The host counts as one thread: what one of its threads has waited for, all have.
class StreamOrder {
 public:
  std::uint32_t add_stream();
  // Its work is done, and before all that comes later.
  void remove_stream(std::uint32_t stream) { streams_.erase(stream); }

  // The next work of a stream, which comes after these. `what` is for reports, and must stay.
  Work add(std::uint32_t stream, const std::vector<Work>& after, std::string_view what);
  void host_waited_for(Work work);

  bool ordered_before(Work earlier, Work later) const;
  std::string_view what(Work work) const;

 private:
  // Of each stream, how much of its work is known to be before.
  using Clock = std::map<std::uint32_t, std::uint32_t>;
  struct Change {
    std::uint32_t number;  // from this work on
    Clock clock;
  };
  struct Stream {
    std::vector<std::string_view> what;
    std::vector<Change> changes;
  };

  void join(Clock& clock, const Clock& other) const;
  void join(Clock& clock, Work work) const;
  static const Clock& clock_of(const Stream& stream, std::uint32_t number);

  std::unordered_map<std::uint32_t, Stream> streams_;
  std::uint32_t last_stream_ = 0;
  Clock host_;
};

}  // namespace cuda_machine
