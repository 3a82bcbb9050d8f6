// Writes steps of eBPF one after another, with jumps to places that come later.
//
// Source: RFC 9669.
#pragma once

#include <linux/bpf.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace warpmeter {

enum class BpfRegister : std::uint8_t { r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, stack };

// A place that jumps go to.
struct BpfLabel {
  std::vector<std::size_t> from;
};

class BpfWriter {
 public:
  using R = BpfRegister;

  void step(unsigned code, R to = R::r0, R from = R::r0, int offset = 0, std::uint32_t value = 0) {
    program_.push_back({.code = static_cast<std::uint8_t>(code),
                        .dst_reg = static_cast<std::uint8_t>(static_cast<unsigned>(to) & 15),
                        .src_reg = static_cast<std::uint8_t>(static_cast<unsigned>(from) & 15),
                        .off = static_cast<std::int16_t>(offset),
                        .imm = static_cast<std::int32_t>(value)});
  }

  // Operations of 32 bits (they clear the upper half), and of 64.
  void set(R to, std::uint32_t value) { step(BPF_ALU | BPF_MOV | BPF_K, to, R::r0, 0, value); }
  void move(R to, R from) { step(BPF_ALU | BPF_MOV | BPF_X, to, from); }
  void compute(unsigned operation, R to, std::uint32_t value) {
    step(BPF_ALU | operation | BPF_K, to, R::r0, 0, value);
  }
  void compute(unsigned operation, R to, R from) { step(BPF_ALU | operation | BPF_X, to, from); }
  void move64(R to, R from) { step(BPF_ALU64 | BPF_MOV | BPF_X, to, from); }
  void add64(R to, std::int32_t value) {
    step(BPF_ALU64 | BPF_ADD | BPF_K, to, R::r0, 0, static_cast<std::uint32_t>(value));
  }

  void load(unsigned size, R to, R at, int offset) { step(BPF_LDX | BPF_MEM | size, to, at, offset); }
  void store(unsigned size, R at, int offset, R from) { step(BPF_STX | BPF_MEM | size, at, from, offset); }

  // Compared as 32 bits without sign; `operation` as BPF_JEQ.
  void jump_if(unsigned operation, R left, std::uint32_t right, BpfLabel& to) {
    to.from.push_back(program_.size());
    step(BPF_JMP32 | operation | BPF_K, left, R::r0, 0, right);
  }
  void jump_if(unsigned operation, R left, R right, BpfLabel& to) {
    to.from.push_back(program_.size());
    step(BPF_JMP32 | operation | BPF_X, left, right);
  }
  void jump_if64(unsigned operation, R left, R right, BpfLabel& to) {
    to.from.push_back(program_.size());
    step(BPF_JMP | operation | BPF_X, left, right);
  }
  // The only form in which the kernel sees that a pointer is none.
  void jump_if_null(R pointer, BpfLabel& to) {
    to.from.push_back(program_.size());
    step(BPF_JMP | BPF_JEQ | BPF_K, pointer);
  }
  void jump(BpfLabel& to) {
    to.from.push_back(program_.size());
    step(BPF_JMP | BPF_JA);
  }

  // Jumps to the label come here.
  void place(const BpfLabel& label) {
    for (const std::size_t from : label.from) {
      const std::size_t distance = program_.size() - from - 1;
      too_far_ |= distance > std::numeric_limits<std::int16_t>::max();
      program_[from].off = static_cast<std::int16_t>(distance);
    }
  }

  bool too_far() const { return too_far_; }  // a jump cannot be so long: the program is none
  const std::vector<bpf_insn>& program() const { return program_; }

 private:
  std::vector<bpf_insn> program_;
  bool too_far_ = false;
};

}  // namespace warpmeter
