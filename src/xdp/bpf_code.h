// Instructions of an eBPF program, written here instead of compiled: an XDP program of a capture has some thirty, for
// which nobody should need another compiler and two libraries.
//
// Source: RFC 9669 (BPF ISA), linux/bpf.h, bpf-helpers(7).
//
// Threads: one.
#pragma once

#include <linux/bpf.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace warpmeter {

// What registers are for: helpers take arguments and return a result, and leave alone what is kept.
enum class XdpRegister : std::uint8_t {
  result = 0,
  argument1 = 1,  // at the start: the context
  argument2 = 2,
  argument3 = 3,
  argument4 = 4,
  argument5 = 5,
  kept1 = 6,
  kept2 = 7,
  kept3 = 8,
  kept4 = 9,
  stack = 10,  // its end: what is below is the program's
};

// Helpers by their numbers in linux/bpf.h; named here, since headers older than the kernel do not have all.
enum class BpfHelper : std::int32_t {
  map_lookup_element = 1,
  xdp_adjust_meta = 54,
  redirect_map = 51,
  xdp_adjust_tail = 65,
  xdp_get_buffer_length = 188,  // Linux 5.18
  xdp_store_bytes = 190,        // Linux 5.18
  ktime_get_tai_ns = 208,       // Linux 6.1
};

class BpfCode {
 public:
  using Register = XdpRegister;
  enum class Label : std::size_t {};

  void move(Register to, Register from);
  void set(Register to, std::int32_t value);
  void add(Register to, std::int32_t value);
  void add(Register to, Register value);
  void subtract(Register to, Register value);
  void bit_and(Register to, std::int32_t value);

  void load32(Register to, Register from, std::int16_t offset);
  void load64(Register to, Register from, std::int16_t offset);
  void store32(Register at, std::int16_t offset, Register value);
  void store64(Register at, std::int16_t offset, Register value);
  void store32(Register at, std::int16_t offset, std::int32_t value);
  void atomic_add64(Register at, std::int16_t offset, Register value);

  void load_map(Register to, int map);  // its descriptor
  void call(BpfHelper helper);
  void exit();

  // A place to jump to, forwards: made first, placed once.
  Label label();
  void place(Label label);
  void jump(Label to);
  void jump_if_equal(Register value, std::int32_t other, Label to);
  void jump_if_not_equal(Register value, std::int32_t other, Label to);
  void jump_if_above(Register value, Register other, Label to);      // unsigned
  void jump_if_above(Register value, std::int32_t other, Label to);  // unsigned
  void jump_if_below(Register value, std::int32_t other, Label to);  // unsigned

  // REQUIRES: all labels that are jumped to have been placed.
  const std::vector<bpf_insn>& instructions() const { return code_; }

 private:
  void emit(int code, Register to, Register from, std::int16_t offset, std::int32_t value);
  void jump_to(int code, Register value, Register other, std::int32_t constant, Label to);

  std::vector<bpf_insn> code_;
  std::vector<std::vector<std::size_t>> jumps_;  // to each label
};

}  // namespace warpmeter
