// Frames made by the kernel itself, for benches: a program of ours is run over copies of one frame, which go where it
// sends them (BPF_F_TEST_XDP_LIVE_FRAMES). They are there, or on their way, when send() returns; no other sender costs
// so little, and it runs on the thread that calls it.
//
// Threads: one.
#pragma once

#include <cstdint>
#include <vector>

#include "base/files/descriptor.h"

namespace warpmeter::bench {

class FrameFeed {
 public:
  enum class To {
    nobody,  // dropped: what making the frames costs
    host,    // as if `interface` had received them, with what the kernel makes of them for its sockets
    veth,    // out of `interface`, whose other end runs an XDP program
    socket,  // as if `interface` had received them, and its program had sent them to `socket`
  };

  // `queue`: of the interface, as the socket has it. Throws std::system_error.
  FrameFeed(To to, int interface, std::uint32_t bytes, unsigned queue = 0, int socket = -1);

  void send(std::uint32_t frames);

 private:
  Descriptor map_, program_;
  const std::uint32_t ingress_, queue_;
  std::vector<std::uint8_t> frame_;
};

}  // namespace warpmeter::bench
