// Maps whose memory this process sees, too, beside programs in the kernel: older kernels answer questions about maps
// only to those who may make some, and rights are dropped before.
//
// Source: bpf(2), BPF_F_MMAPABLE (Linux 5.5); Documentation/bpf/ringbuf.rst of Linux, bpf-helpers(7):
// bpf_ringbuf_output (Linux 5.8).
//
// Threads: any, but for BpfWake.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/files/descriptor.h"

namespace warpmeter::inline packet {

// Entries by their numbers. What lies in the memory is for its users to agree about.
class BpfArray {
 public:
  enum class Access { read, write };

  // REQUIRES: `bytes` of an entry are a multiple of 8. Throws std::system_error.
  BpfArray(const std::string& name, std::uint32_t bytes, std::uint32_t entries, Access access);
  ~BpfArray();
  BpfArray(const BpfArray&) = delete;
  BpfArray& operator=(const BpfArray&) = delete;

  int fd() const { return map_.get(); }
  void* memory() const { return memory_; }  // entry after entry

 private:
  const Descriptor map_;
  const std::size_t size_;
  void* const memory_;
};

// A count of 64 bits that programs in the kernel add to, in several places so that CPUs or queues do not share one.
class BpfCounter {
 public:
  // `apart`: bytes from one place to the next, a multiple of 8. Throws std::system_error.
  BpfCounter(const std::string& name, std::uint32_t places, std::uint32_t apart = sizeof(std::uint64_t));

  // A place, with a cache line of its own, for each CPU that there may ever be, by its number.
  static BpfCounter of_cpus(const std::string& name);

  int fd() const { return array_.fd(); }
  std::uint64_t sum() const;  // over all places

 private:
  const BpfArray array_;
  const std::size_t places_, apart_;
};

// A set of network interfaces that programs in the kernel look into, for each frame. It changes without a system call,
// so also by a process that has no rights any more.
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

// How a program in the kernel wakes whoever polls: a BPF ring buffer, of whose records nobody reads what they hold.
//
// Threads: one; the program runs beside it.
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
  const Descriptor map_;
  const std::size_t page_;
  std::uint64_t* const consumed_;        // as far as this side has read
  const std::uint64_t* const produced_;  // and as far as the program has written
};

}  // namespace warpmeter::inline packet
