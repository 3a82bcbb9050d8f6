// A capture filter for the kernel that counts what it refuses: classic BPF translated to eBPF, since filters of classic
// BPF cannot count.
//
// The filter is about the frame as it was on the wire, but before it runs the kernel takes the outermost VLAN tag out
// of the frame and keeps it beside it. So the program has two forms of the filter: as it is, and for frames with such a
// tag, where what is behind the MAC addresses is loaded from where it is now.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <optional>

#include "core/filter_program.h"
#include "packet/nic/bpf/bpf_code.h"

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

}  // namespace warpmeter::inline packet
