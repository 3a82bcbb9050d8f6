// The XDP program of a capture: it writes when a frame came in front of it, and gives it to the socket of its RX queue.
// A frame whose queue has no socket goes on to the host, as if nobody captured, and is counted.
//
// A driver may keep the VLAN tag of a frame beside it. The program can put it back where it was, with functions of the
// kernel that are for programs under the GPL only: that form of it is offered under the GPL, version 2, too.
//
// It wakes the reader of queue 0 when many frames have come to it, who need not look whether they do.
//
// Threads: one, but for no_socket(), which any may ask.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/files/descriptor.h"
#include "packet/nic/bpf/bpf_maps.h"

namespace warpmeter::inline packet {

// The 16 bytes before each frame that the program has seen.
struct CaptureMark {
  static constexpr std::uint32_t kMagic = 0x774d6b31;

  std::int64_t tai_ns;   // when it came, by the kernel's CLOCK_TAI
  std::uint32_t length;  // on the wire, bytes
  std::uint32_t magic;   // kMagic; something else: there was no room for the mark
};
static_assert(sizeof(CaptureMark) == 16);

class CaptureProgram {
 public:
  static constexpr unsigned kMostQueues = 1024;

  // `keep`: of each frame so many bytes are kept, 0: all. `tags_of`: the only interface that it can be attached to
  // then, whose tags are put back: what its driver tells of them, and the kernel passes on (Linux 6.8, where it tells
  // its types); 0: no tags are. Throws std::system_error.
  explicit CaptureProgram(unsigned keep, int tags_of = 0);
  CaptureProgram(const CaptureProgram&) = delete;
  CaptureProgram& operator=(const CaptureProgram&) = delete;

  // What comes to this queue is the socket's, an AF_XDP one that is bound to it.
  void give_queue(unsigned queue, int socket);

  // From now on frames come in. The driver itself must be able to run it. Throws std::system_error.
  void attach(int interface);

  // From now on no frame comes in, and none is counted. The driver notices nothing: to attach and to detach a program
  // lets some cards go down for a moment, with what they have received.
  void shut();

  // Of queue 0: readable for poll(2) once `frames` more have come since wake_after() was called last.
  int wake_fd() const { return wake_.fd(); }
  void wake_after(std::uint64_t frames);

  // Frames that came to a queue without a socket.
  std::uint64_t no_socket() const;

  int program() const { return program_.get(); }  // its descriptor

 private:
  Descriptor sockets_;
  BpfCounter missed_;  // by queue
  const BpfArray arrived_;
  BpfWake wake_;
  Descriptor program_, link_;
  unsigned queues_ = 0;  // that have had a socket
  std::uint64_t missed_until_shut_ = 0;
  std::atomic<bool> shut_ = false;  // then what is before it stays
};

}  // namespace warpmeter::inline packet
