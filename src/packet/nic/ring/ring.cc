#include "packet/nic/ring/ring.h"

#include <linux/filter.h>
#include <sys/socket.h>

#include <algorithm>

namespace warpmeter::inline packet {

std::uint64_t Ring::measure(const std::vector<Frame>& frames) {
  const auto longer_than = [&frames](std::uint32_t longest) {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(frames, [longest](const Frame& frame) { return frame.original > longest; }));
  };
  std::uint64_t bytes = 0;
  std::uint32_t longest_here = 0;
  for (const Frame& frame : frames) {
    bytes += frame.captured;
    longest_here = std::max(longest_here, frame.original);
  }
  std::uint32_t longest = longest_frame_.load(std::memory_order_relaxed);
  if (longest_here > longest && ask_for_longest_) {
    longest = std::max(longest, ask_for_longest_());
    set_longest_frame(longest);
  }
  if (longest_here > longest) count_uncut(longer_than(longest));
  return bytes;
}

bool refuse_everything(int socket) {
  sock_filter none[] = {{BPF_RET | BPF_K, 0, 0, 0}};
  const sock_fprog program{1, none};
  return setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) == 0;
}

}  // namespace warpmeter::inline packet
