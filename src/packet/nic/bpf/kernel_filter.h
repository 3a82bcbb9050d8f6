// A capture filter that the kernel asks before a packet comes to a ring of AF_PACKET, and how many it kept out.
//
// Threads: one at a time, but refused() by any.
#pragma once

#include <cstdint>
#include <memory>

#include "core/filter_program.h"
#include "packet/nic/bpf/bpf_counter.h"
#include "packet/nic/bpf/filter_translation.h"
#include "packet/nic/bpf/owned_descriptor.h"

namespace warpmeter::inline packet {

class KernelFilter {
 public:
  // For frames of this link type, of all interfaces or of these alone (BpfInterfaces::fd()). Null if there can be none:
  // the kernel does not allow it (it takes CAP_BPF, or CAP_SYS_ADMIN), or the filter cannot be translated. Whoever
  // reads the ring filters then.
  static std::unique_ptr<KernelFilter> make(const FilterProgram& filter, std::uint16_t link,
                                            int interfaces = kAllInterfaces);

  // From now on the socket gets what the filter matches, and no more of these interfaces.
  bool attach(int socket) const;

  std::uint64_t refused() const { return counter_.sum(); }

 private:
  KernelFilter(const FilterProgram& filter, std::uint16_t link, int interfaces);  // throws std::system_error

  const BpfCounter counter_ = BpfCounter::of_cpus("wm_refused");
  OwnedDescriptor program_;  // none: it cannot be translated
};

}  // namespace warpmeter::inline packet
