// A count of 64 bits that programs in the kernel add to, in several places so that CPUs or queues do not share one.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "packet/nic/bpf/bpf_array.h"

namespace warpmeter::inline packet {

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

}  // namespace warpmeter::inline packet
