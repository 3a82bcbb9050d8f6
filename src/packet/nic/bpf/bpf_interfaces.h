// A set of network interfaces that programs in the kernel look into, for each frame. It changes without a system call,
// so also by a process that has no rights any more.
//
// Threads: any.
#pragma once

#include "packet/nic/bpf/bpf_array.h"

namespace warpmeter::inline packet {

class BpfInterfaces {
 public:
  // Throws std::system_error.
  explicit BpfInterfaces(const std::string& name);

  int fd() const { return array_.fd(); }

  // By their numbers in the system. There is room for those below 65,536: others are never in it.
  void add(int interface) { set(interface, 1); }
  void remove(int interface) { set(interface, 0); }

 private:
  void set(int interface, std::uint64_t value);

  const BpfArray array_;
};

}  // namespace warpmeter::inline packet
