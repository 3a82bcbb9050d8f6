#include "packet/nic/xdp/capture_program.h"

#include <linux/if_link.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <limits>
#include <string>
#include <system_error>

#include "packet/nic/bpf/bpf_code.h"
#include "packet/nic/bpf/bpf_object.h"

namespace warpmeter::inline packet {
namespace {

using Register = BpfRegister;

constexpr auto kContext = Register::kept1, kLength = Register::kept4;

// Of queue 0, shared with the program: each writes its own, but the program has woken somebody once for each time.
struct Arrivals {
  std::uint64_t frames = 0;  // that have come
  std::uint64_t wake_at = std::numeric_limits<std::uint64_t>::max();
};

constexpr std::int16_t context_offset(std::size_t of) { return static_cast<std::int16_t>(of); }

// Leaves the number of the frame's queue where a map finds it as its key.
void set_key(BpfCode& code) {
  code.load32(Register::argument1, kContext, context_offset(offsetof(xdp_md, rx_queue_index)));
  code.store32(Register::stack, -4, Register::argument1);
  code.move(Register::argument2, Register::stack);
  code.add(Register::argument2, -4);
}

// The tag that the driver keeps beside the frame, if it does, is behind the MAC addresses again, and counts in its
// length. A frame whose socket is taken away just now goes to the host with the tag in both places.
void put_tag_back(BpfCode& code, KernelFunction vlan_tag) {
  constexpr std::int16_t kType = -8, kTag = -6;  // on the stack: in the order of the wire, and of this machine
  constexpr std::int16_t kTagBytes = 4, kMacAddresses = 12;
  const BpfCode::Label untagged = code.label();
  const auto frame = Register::argument2, end = Register::argument3, some = Register::argument4;
  code.store32(Register::stack, kType, 0);
  code.move(Register::argument1, kContext);
  code.move(Register::argument2, Register::stack);
  code.add(Register::argument2, kType);
  code.move(Register::argument3, Register::stack);
  code.add(Register::argument3, kTag);
  code.call(vlan_tag);
  code.jump_if32(Register::result, BpfIs::not_equal, 0, untagged);
  code.move(Register::argument1, kContext);
  code.set(Register::argument2, -kTagBytes);
  code.call(BpfHelper::xdp_adjust_head);
  code.jump_if32(Register::result, BpfIs::not_equal, 0, untagged);
  code.load32(frame, kContext, context_offset(offsetof(xdp_md, data)));
  code.load32(end, kContext, context_offset(offsetof(xdp_md, data_end)));
  code.move(some, frame);
  code.add(some, kMacAddresses + kTagBytes);
  code.jump_if(some, BpfIs::above, end, untagged);  // never: that much there is of any frame
  code.load64(some, frame, kTagBytes);
  code.store64(frame, 0, some);
  code.load32(some, frame, kTagBytes + 8);
  code.store32(frame, 8, some);
  code.load16(some, Register::stack, kType);
  code.store16(frame, kMacAddresses, some);
  code.load16(some, Register::stack, kTag);
  code.swap_to_big_endian16(some);
  code.store16(frame, kMacAddresses + 2, some);
  code.place(untagged);
}

// Where a driver has no room for it, the frame goes on without a mark.
void write_mark(BpfCode& code) {
  const BpfCode::Label unmarked = code.label();
  const auto mark = Register::kept2, frame = Register::kept3;
  code.move(Register::argument1, kContext);
  code.set(Register::argument2, -static_cast<std::int32_t>(sizeof(CaptureMark)));
  code.call(BpfHelper::xdp_adjust_meta);
  code.jump_if(Register::result, BpfIs::not_equal, 0, unmarked);
  code.load32(mark, kContext, context_offset(offsetof(xdp_md, data_meta)));
  code.load32(frame, kContext, context_offset(offsetof(xdp_md, data)));
  code.move(Register::argument2, mark);
  code.add(Register::argument2, sizeof(CaptureMark));
  code.jump_if(Register::argument2, BpfIs::above, frame, unmarked);
  code.call(BpfHelper::ktime_get_tai_ns);
  code.store64(mark, offsetof(CaptureMark, tai_ns), Register::result);
  code.store32(mark, offsetof(CaptureMark, length), kLength);
  code.store32(mark, offsetof(CaptureMark, magic), static_cast<std::int32_t>(CaptureMark::kMagic));
  code.place(unmarked);
}

void cut(BpfCode& code, unsigned keep) {
  const BpfCode::Label short_enough = code.label(), longer = code.label();
  code.jump_if(kLength, BpfIs::above, static_cast<std::int32_t>(keep), longer);
  code.jump(short_enough);
  code.place(longer);
  code.set(Register::argument2, static_cast<std::int32_t>(keep));
  code.subtract(Register::argument2, kLength);
  code.move(Register::argument1, kContext);
  code.call(BpfHelper::xdp_adjust_tail);
  code.place(short_enough);
}

// A frame is counted before it is given to its socket: who is woken too early waits again. For the frame that is due
// the program may see the old `wake_at`; then the next one wakes.
void wake_when_due(BpfCode& code, int arrived, int wake) {
  constexpr std::int32_t kForced = 1 << 1;  // BPF_RB_FORCE_WAKEUP
  constexpr auto kFrames = static_cast<std::int16_t>(offsetof(Arrivals, frames));
  constexpr auto kWakeAt = static_cast<std::int16_t>(offsetof(Arrivals, wake_at));
  const BpfCode::Label not_due = code.label();
  const auto frames = Register::argument1, wake_at = Register::argument2;
  set_key(code);
  code.load_map(Register::argument1, arrived);
  code.call(BpfHelper::map_lookup_element);
  code.jump_if(Register::result, BpfIs::equal, 0, not_due);
  code.load64(frames, Register::result, kFrames);
  code.add(frames, 1);
  code.store64(Register::result, kFrames, frames);
  code.load64(wake_at, Register::result, kWakeAt);
  code.jump_if(wake_at, BpfIs::above, frames, not_due);
  code.set(wake_at, -1);
  code.store64(Register::result, kWakeAt, wake_at);
  code.load_map(Register::argument1, wake);
  code.move(Register::argument2, Register::stack);
  code.add(Register::argument2, -4);
  code.set(Register::argument3, 4);
  code.set(Register::argument4, kForced);
  code.call(BpfHelper::ringbuf_output);
  code.place(not_due);
}

struct Maps {
  int sockets, missed, arrived, wake;
};

// `vlan_tag`: tells the tag beside a frame; none: nobody does.
BpfCode code_of(const Maps& maps, unsigned keep, KernelFunction vlan_tag) {
  BpfCode code;
  const BpfCode::Label nobody = code.label(), pass = code.label();
  code.move(kContext, Register::argument1);
  set_key(code);
  code.load_map(Register::argument1, maps.sockets);
  code.call(BpfHelper::map_lookup_element);
  code.jump_if(Register::result, BpfIs::equal, 0, nobody);
  if (vlan_tag != KernelFunction::none) put_tag_back(code, vlan_tag);
  code.move(Register::argument1, kContext);
  code.call(BpfHelper::xdp_get_buffer_length);
  code.move(kLength, Register::result);
  write_mark(code);
  if (keep) cut(code, keep);
  wake_when_due(code, maps.arrived, maps.wake);
  code.load32(Register::argument2, kContext, context_offset(offsetof(xdp_md, rx_queue_index)));
  code.load_map(Register::argument1, maps.sockets);
  code.set(Register::argument3, XDP_PASS);  // the socket was taken away just now
  code.call(BpfHelper::redirect_map);
  code.exit();

  code.place(nobody);
  set_key(code);
  code.load_map(Register::argument1, maps.missed);
  code.call(BpfHelper::map_lookup_element);
  code.jump_if(Register::result, BpfIs::equal, 0, pass);
  code.set(Register::argument1, 1);
  code.atomic_add64(Register::result, 0, Register::argument1);
  code.place(pass);
  code.set(Register::result, XDP_PASS);
  code.exit();
  return code;
}

KernelFunction function_for_tags(int of_interface) {
  if (!of_interface) return KernelFunction::none;
  const KernelFunction function = kernel_function("bpf_xdp_metadata_rx_vlan_tag");
  if (function == KernelFunction::none) {
    throw std::system_error(ENOSYS, std::generic_category(), "no VLAN tags for XDP programs");
  }
  return function;
}

}  // namespace

CaptureProgram::CaptureProgram(unsigned keep, int tags_of)
    : sockets_(make_map("wm_sockets", {.type = BPF_MAP_TYPE_XSKMAP, .value_bytes = 4, .entries = kMostQueues})),
      missed_("wm_no_socket", kMostQueues),
      arrived_("wm_arrived", sizeof(Arrivals), 1, BpfArray::Access::write),
      wake_("wm_wake"),
      program_(load_xdp_program(
          "wm_capture",
          code_of({sockets_.get(), missed_.fd(), arrived_.fd(), wake_.fd()}, keep, function_for_tags(tags_of)),
          {.fragments = true, .interface = tags_of})) {
  *static_cast<Arrivals*>(arrived_.memory()) = Arrivals();
}

void CaptureProgram::wake_after(std::uint64_t frames) {
  Arrivals& arrivals = *static_cast<Arrivals*>(arrived_.memory());
  wake_.forget();
  const std::uint64_t so_far = std::atomic_ref(arrivals.frames).load(std::memory_order_relaxed);
  std::atomic_ref(arrivals.wake_at).store(so_far + frames, std::memory_order_relaxed);
}

void CaptureProgram::give_queue(unsigned queue, int socket) {
  const auto value = static_cast<std::uint32_t>(socket);
  put_into_map(sockets_.get(), queue, &value);
  queues_ = std::max(queues_, queue + 1);
}

void CaptureProgram::attach(int interface) { link_ = attach_xdp(program_.get(), interface, XDP_FLAGS_DRV_MODE); }

void CaptureProgram::shut() {
  if (shut_) return;
  missed_until_shut_ = no_socket();
  shut_.store(true, std::memory_order_release);
  for (unsigned queue = 0; queue < queues_; ++queue) remove_from_map(sockets_.get(), queue);
}

std::uint64_t CaptureProgram::no_socket() const {
  return shut_.load(std::memory_order_acquire) ? missed_until_shut_ : missed_.sum();
}

}  // namespace warpmeter::inline packet
