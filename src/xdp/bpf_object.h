// What lives in the kernel for a capture: maps, a program, its link to an interface. Each is a descriptor, and gone
// when it is closed: with the process at the latest, however that ends. Nothing is pinned anywhere.
//
// Source: bpf(2), linux/bpf.h. Errors are std::system_error, with what was refused.
//
// Threads: any, each object by one at a time.
#pragma once

#include <linux/bpf.h>

#include <cstdint>
#include <string>

#include "xdp/bpf_code.h"

namespace warpmeter {

// Closed with it.
class OwnedDescriptor {
 public:
  OwnedDescriptor() = default;
  explicit OwnedDescriptor(int fd) : fd_(fd) {}
  ~OwnedDescriptor() { reset(); }
  OwnedDescriptor(OwnedDescriptor&& other) noexcept;
  OwnedDescriptor& operator=(OwnedDescriptor&& other) noexcept;

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void reset();

 private:
  int fd_ = -1;
};

struct BpfMapShape {
  bpf_map_type type = BPF_MAP_TYPE_ARRAY;
  std::uint32_t value_bytes = 8;
  std::uint32_t entries = 1;  // keys are 32 bits
  std::uint32_t flags = 0;    // BPF_F_...
};

OwnedDescriptor make_map(const std::string& name, const BpfMapShape& shape);
void put_into_map(int map, std::uint32_t key, const void* value);
void remove_from_map(int map, std::uint32_t key) noexcept;

// Gives the memory of a map with BPF_F_MMAPABLE, so many bytes; to be unmapped by the caller.
void* map_memory(int map, std::size_t bytes, bool writable);

// Made so that frames in several pieces are understood.
OwnedDescriptor load_xdp_program(const std::string& name, const BpfCode& code, bool fragments);

// From now on the driver of the interface runs it for each frame that comes in. `flags`: XDP_FLAGS_...
OwnedDescriptor attach_xdp(int program, int interface, std::uint32_t flags);

// For tests and benches: runs it `times` over copies of `frame`, which go wherever it sends them
// (BPF_F_TEST_XDP_LIVE_FRAMES).
void run_with_live_frames(int program, const void* frame, std::uint32_t bytes, std::uint32_t times);

}  // namespace warpmeter
