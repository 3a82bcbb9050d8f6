// A map of entries by their numbers whose memory this process sees, too: older kernels answer questions about maps only
// to those who may make some, and rights are dropped before.
//
// Source: bpf(2), BPF_F_MMAPABLE (Linux 5.5).
//
// Threads: any; what lies in the memory is for its users to agree about.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "packet/nic/bpf/owned_descriptor.h"

namespace warpmeter::inline packet {

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
  const OwnedDescriptor map_;
  const std::size_t size_;
  void* const memory_;
};

}  // namespace warpmeter::inline packet
