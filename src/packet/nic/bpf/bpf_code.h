// Instructions of an eBPF program, written here instead of compiled: the XDP program of a capture has some thirty, and
// that of a capture filter is only known when somebody has typed it. Nobody should need another compiler for them. And
// the functions of the kernel that a program may call.
//
// Source: RFC 9669 (BPF ISA), linux/bpf.h, bpf-helpers(7); Documentation/bpf/btf.rst and kfuncs.rst of Linux.
//
// Threads: one at a time.
#pragma once

#include <linux/bpf.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpmeter::inline packet {

// Functions of the kernel that a program may call (kfuncs), by their names. Unlike helpers they have no fixed numbers:
// each kernel tells the types that it was built of (BTF), and a function is called by its place among them. Any thread
// may ask.
enum class KernelFunction : std::int32_t { none = 0 };

// `types`: as BTF, in the order of this machine. None: there is no function of this name, or they are damaged.
KernelFunction function_in(std::span<const char> types, std::string_view name);

// Of the kernel that runs. None also where it tells nothing.
KernelFunction kernel_function(std::string_view name);

// Where it tells of them.
inline constexpr const char* kKernelTypes = "/sys/kernel/btf/vmlinux";

// What registers are for: helpers take arguments and return a result, and leave alone what is kept.
enum class BpfRegister : std::uint8_t {
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
  get_smp_processor_id = 8,
  xdp_adjust_head = 44,
  redirect_map = 51,
  xdp_adjust_meta = 54,
  xdp_adjust_tail = 65,
  ringbuf_output = 130,
  xdp_get_buffer_length = 188,  // Linux 5.18
  xdp_store_bytes = 190,        // Linux 5.18
  ktime_get_tai_ns = 208,       // Linux 6.1
};

// As in classic BPF, numbers included.
enum class BpfOperation : std::uint8_t {
  add = BPF_ADD,
  subtract = BPF_SUB,
  multiply = BPF_MUL,
  divide = BPF_DIV,
  bit_or = BPF_OR,
  bit_and = BPF_AND,
  shift_left = BPF_LSH,
  shift_right = BPF_RSH,
  negate = BPF_NEG,
  modulo = BPF_MOD,
  bit_xor = BPF_XOR,
};

// Without sign. The first four are as in classic BPF, numbers included.
enum class BpfIs : std::uint8_t {
  equal = BPF_JEQ,
  above = BPF_JGT,
  at_least = BPF_JGE,
  sharing_bits_with = BPF_JSET,
  not_equal = BPF_JNE,
  below = BPF_JLT,
  at_most = BPF_JLE,
};

// Of what is loaded from a frame: 4, 2 or 1 bytes. As in classic BPF, numbers included.
enum class BpfSize : std::uint8_t { word = BPF_W, half = BPF_H, byte = BPF_B };

class BpfCode {
 public:
  using Register = BpfRegister;
  enum class Label : std::size_t {};

  // Of 64 bits; constants get there with their sign.
  void move(Register to, Register from);
  void set(Register to, std::int32_t value);
  void add(Register to, std::int32_t value);
  void subtract(Register to, Register value);

  // Of the lower 32 bits; the upper ones are 0 then.
  void move32(Register to, Register from);
  void set32(Register to, std::uint32_t value);
  void compute32(BpfOperation operation, Register to, std::uint32_t value);
  void compute32(BpfOperation operation, Register to, Register value);
  void swap_to_big_endian16(Register of);  // of the lower 16 bits; the others are 0 then

  void load16(Register to, Register from, std::int16_t offset);
  void load32(Register to, Register from, std::int16_t offset);
  void load64(Register to, Register from, std::int16_t offset);
  void store16(Register at, std::int16_t offset, Register value);
  void store32(Register at, std::int16_t offset, Register value);
  void store64(Register at, std::int16_t offset, Register value);
  void store32(Register at, std::int16_t offset, std::int32_t value);
  void atomic_add64(Register at, std::int16_t offset, Register value);

  // From the frame of a socket's program, whose context is in kept1, to `result`, as a number in the order of this
  // machine. Arguments are lost. A program that loads from behind the end of the frame ends there, with 0.
  void load_from_frame(BpfSize size, std::uint32_t place);
  void load_from_frame(BpfSize size, Register place);

  void load_map(Register to, int map);  // its descriptor
  void call(BpfHelper helper);
  // REQUIRES: it is not `none`. The kernel lets only programs under its own licence do so: load_xdp_program().
  void call(KernelFunction function);
  void exit();

  // A place to jump to, forwards: made first, placed once.
  Label label();
  void place(Label label);
  bool is_jumped_to(Label label) const { return !jumps_[static_cast<std::size_t>(label)].empty(); }
  void jump(Label to);
  // That a pointer is none the kernel sees only where it is compared to 0 in all its 64 bits.
  void jump_if(Register value, BpfIs is, std::int32_t other, Label to);
  void jump_if(Register value, BpfIs is, Register other, Label to);
  void jump_if32(Register value, BpfIs is, std::uint32_t other, Label to);
  void jump_if32(Register value, BpfIs is, Register other, Label to);

  // A jump was longer than one can be: the program is none.
  bool is_too_long() const { return too_long_; }

  // REQUIRES: all labels that are jumped to have been placed.
  const std::vector<bpf_insn>& instructions() const { return code_; }

 private:
  void emit(int code, Register to, Register from, std::int16_t offset, std::int32_t value);
  void jump_to(int code, Register value, Register other, std::int32_t constant, Label to);

  std::vector<bpf_insn> code_;
  std::vector<std::vector<std::size_t>> jumps_;  // to each label
  bool too_long_ = false;
};

}  // namespace warpmeter::inline packet
