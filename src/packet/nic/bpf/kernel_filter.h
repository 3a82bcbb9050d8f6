// A capture filter that the kernel asks before a packet comes to a ring of AF_PACKET, and how many it kept out: classic
// BPF translated to eBPF, since filters of classic BPF cannot count.
//
// The filter is about the frame as it was on the wire, but before it runs the kernel takes the outermost VLAN tag out
// of the frame and keeps it beside it. So the program has two forms of the filter: as it is, and for frames with such a
// tag, where what is behind the MAC addresses is loaded from where it is now.
//
// Threads: any; a KernelFilter by one at a time, but refused() by any.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/files/descriptor.h"
#include "core/filter_program.h"
#include "packet/nic/bpf/bpf_code.h"
#include "packet/nic/bpf/bpf_maps.h"

namespace warpmeter::inline packet {

// Which frames have their tag beside them. `all`: with this tag, for tests.
struct TagBeside {
  enum class Of { none, as_the_kernel_says, all };
  Of of = Of::none;
  std::uint32_t tag = 0;  // TPID and TCI, in the order of the wire
};

inline constexpr int kAllInterfaces = -1;

// A socket's program: all of a frame that the filter matches, nothing of others, and these it adds to `counter` (a
// BpfCounter::of_cpus()). `interfaces`: it is asked about frames of these alone (a BpfInterfaces), the socket gets
// those of all others. Nothing if the filter has steps that are not translated, or the program would be too long.
std::optional<BpfCode> translate_filter(const FilterProgram& filter, TagBeside beside, int counter,
                                        int interfaces = kAllInterfaces);

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
  Descriptor program_;  // none: it cannot be translated
};

}  // namespace warpmeter::inline packet
