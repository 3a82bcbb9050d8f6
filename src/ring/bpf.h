// bpf(2), as much of it as capture filters in the kernel need.
//
// Threads: any. Errors: what cannot be made is not there (a descriptor of -1); errno tells why.
#pragma once

#include <linux/bpf.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace warpmeter {

class BpfDescriptor {
 public:
  BpfDescriptor() = default;
  explicit BpfDescriptor(int fd) : fd_(fd) {}
  BpfDescriptor(BpfDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  BpfDescriptor& operator=(BpfDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~BpfDescriptor();

  explicit operator bool() const { return fd_ >= 0; }
  int fd() const { return fd_; }

 private:
  int fd_ = -1;
};

// A map with a count of 64 bits for each CPU, by its number; each has a cache line. It is read in memory that is
// mapped: older kernels answer questions about maps only to those who may make some, and rights are dropped before.
class BpfCounter {
 public:
  BpfCounter();
  ~BpfCounter();
  BpfCounter(const BpfCounter&) = delete;
  BpfCounter& operator=(const BpfCounter&) = delete;

  explicit operator bool() const { return at_ != nullptr; }
  int fd() const { return map_.fd(); }
  std::uint64_t sum() const;  // over all CPUs

 private:
  BpfDescriptor map_;
  std::uint64_t* at_ = nullptr;
  std::size_t cpus_ = 0;
};

// A program for sockets: it gets a frame and returns how many of its bytes the socket gets, 0: the frame is not for it.
BpfDescriptor load_socket_program(std::span<const bpf_insn> program);

}  // namespace warpmeter
