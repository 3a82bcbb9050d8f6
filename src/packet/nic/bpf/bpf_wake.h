// How a program in the kernel wakes whoever polls: a BPF ring buffer, of whose records nobody reads what they hold.
//
// Source: Documentation/bpf/ringbuf.rst of Linux, bpf-helpers(7): bpf_ringbuf_output. Linux 5.8.
//
// Threads: one; the program runs beside it.
#pragma once

#include <cstdint>
#include <string>

#include "packet/nic/bpf/owned_descriptor.h"

namespace warpmeter::inline packet {

class BpfWake {
 public:
  // Throws std::system_error.
  explicit BpfWake(const std::string& name);
  ~BpfWake();
  BpfWake(const BpfWake&) = delete;
  BpfWake& operator=(const BpfWake&) = delete;

  // The map, also for poll(2): readable once the program has put a record there.
  int fd() const { return map_.get(); }

  // No longer readable: what is there has been heard.
  void forget();

 private:
  const OwnedDescriptor map_;
  const std::size_t page_;
  std::uint64_t* const consumed_;        // as far as this side has read
  const std::uint64_t* const produced_;  // and as far as the program has written
};

}  // namespace warpmeter::inline packet
