// What lives in the kernel for a capture: maps, programs, a link to an interface. Each is a descriptor, and gone when
// it is closed: with the process at the latest, however that ends. Nothing is pinned anywhere. Nobody else calls
// bpf(2).
//
// Source: bpf(2), linux/bpf.h. Errors are std::system_error, with what was refused.
//
// Threads: any, each object by one at a time.
#pragma once

#include <linux/bpf.h>

#include <cstdint>
#include <string>

#include "base/files/descriptor.h"
#include "packet/nic/bpf/bpf_code.h"

namespace warpmeter::inline packet {

struct BpfMapShape {
  bpf_map_type type = BPF_MAP_TYPE_ARRAY;
  std::uint32_t value_bytes = 8;
  std::uint32_t entries = 1;  // keys are 32 bits; a ring buffer has none, but so many bytes
  std::uint32_t flags = 0;    // BPF_F_...
};

Descriptor make_map(const std::string& name, const BpfMapShape& shape);
void put_into_map(int map, std::uint32_t key, const void* value);
void remove_from_map(int map, std::uint32_t key) noexcept;

struct XdpProgramKind {
  bool fragments = false;  // frames in several pieces are understood
  // The only interface that it may be attached to: then it may call the functions of the kernel that tell what the
  // driver knows of a frame. For these it is under the GPL, as the kernel demands; else under the licence of all this.
  int interface = 0;
};

Descriptor load_xdp_program(const std::string& name, const BpfCode& code, XdpProgramKind kind);

// A program for sockets: it gets a frame and returns how many of its bytes the socket gets, 0: the frame is not for it.
Descriptor load_socket_program(const std::string& name, const BpfCode& code);

// From now on the driver of the interface runs it for each frame that comes in. `flags`: XDP_FLAGS_...
Descriptor attach_xdp(int program, int interface, std::uint32_t flags);

// For tests and benches.
struct FrameForProgram {
  const void* bytes = nullptr;
  std::uint32_t size = 0;
  std::uint32_t interface = 0, queue = 0;  // that an XDP program is told it came from
};

// What the program of a socket returns for the frame; of the frame it sees what is behind an Ethernet header.
std::uint32_t run_once(int program, const FrameForProgram& frame);

// Runs an XDP program `times` over copies of the frame, which go wherever it sends them (BPF_F_TEST_XDP_LIVE_FRAMES).
void run_with_live_frames(int program, const FrameForProgram& frame, std::uint32_t times);

}  // namespace warpmeter::inline packet
