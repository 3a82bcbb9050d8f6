// The kernel's machine for a translated filter, without a kernel: the instructions that BpfCode writes. It is as strict
// as the kernel's verifier where that shows while a program runs: nothing is read that was not written, what a call or
// a load from the frame loses is lost, and memory is the program's own. tests/packet/nic/bpf compares it with the
// kernel.
//
// Source: RFC 9669 (BPF ISA), the kernel's Documentation/bpf.
#pragma once

#include <arpa/inet.h>
#include <linux/bpf.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "packet/nic/bpf/bpf_code.h"

namespace warpmeter::test {

class EbpfMachine {
 public:
  // A frame that has this tag beside it, in the order of the wire (TPID, TCI).
  EbpfMachine(const std::vector<bpf_insn>& program, std::span<const std::uint8_t> frame,
              std::optional<std::uint32_t> tag = {})
      : program_(program), frame_(frame) {
    context_.len = static_cast<std::uint32_t>(frame.size());
    if (!tag) return;
    context_.vlan_present = 1;
    context_.vlan_tci = *tag & 0xffff;
    context_.vlan_proto = htons(static_cast<std::uint16_t>(*tag >> 16));
  }

  // What it returns, 0 too where it loads from behind the end. Nothing: it does what no program may.
  std::optional<std::uint32_t> run() {
    set(1, address(&context_));
    set(10, address(stack_.data() + stack_.size()));
    constexpr std::size_t kMostSteps = 1'000'000;
    for (std::size_t steps = 0; steps < kMostSteps && at_ < program_.size(); ++steps) {
      const bpf_insn& i = program_[at_++];
      if (!step(i)) return std::nullopt;
      if (ended_) return ended_with_;
    }
    return std::nullopt;
  }

  std::uint64_t refused() const { return counter_; }

 private:
  static std::uint64_t address(const void* at) { return reinterpret_cast<std::uintptr_t>(at); }

  void set(unsigned number, std::uint64_t value) {
    registers_[number] = value;
    known_[number] = true;
  }

  bool step(const bpf_insn& i) {
    switch (BPF_CLASS(i.code)) {
      case BPF_ALU:
      case BPF_ALU64: return compute(i);
      case BPF_JMP:
      case BPF_JMP32: return jump(i);
      case BPF_LDX: return load(i);
      case BPF_ST:
      case BPF_STX: return store(i);
      case BPF_LD: return BPF_MODE(i.code) == BPF_IMM ? load_map(i) : load_from_frame(i);
      default: return false;
    }
  }

  // The second operand.
  std::optional<std::uint64_t> other(const bpf_insn& i) const {
    if (BPF_SRC(i.code) == BPF_K) return static_cast<std::uint64_t>(std::int64_t{i.imm});
    if (!known_[i.src_reg]) return std::nullopt;
    return registers_[i.src_reg];
  }

  bool compute(const bpf_insn& i) {
    const bool narrow = BPF_CLASS(i.code) == BPF_ALU;
    const int operation = BPF_OP(i.code);
    if (i.dst_reg == 10 || (operation != BPF_MOV && !known_[i.dst_reg])) return false;
    if (operation == BPF_END) {
      set(i.dst_reg, htons(static_cast<std::uint16_t>(registers_[i.dst_reg])));
      return narrow && BPF_SRC(i.code) == BPF_TO_BE && i.imm == 16;
    }
    const auto second = operation == BPF_NEG ? std::optional<std::uint64_t>(0) : other(i);
    if (!second) return false;
    const std::uint64_t a = narrow ? static_cast<std::uint32_t>(registers_[i.dst_reg]) : registers_[i.dst_reg];
    const std::uint64_t b = narrow ? static_cast<std::uint32_t>(*second) : *second;
    const std::uint64_t most_shift = narrow ? 31 : 63;
    std::uint64_t result = 0;
    switch (operation) {
      case BPF_ADD: result = a + b; break;
      case BPF_SUB: result = a - b; break;
      case BPF_MUL: result = a * b; break;
      case BPF_DIV: result = b ? a / b : 0; break;
      case BPF_MOD: result = b ? a % b : a; break;
      case BPF_OR: result = a | b; break;
      case BPF_AND: result = a & b; break;
      case BPF_XOR: result = a ^ b; break;
      case BPF_LSH: result = a << (b & most_shift); break;
      case BPF_RSH: result = a >> (b & most_shift); break;
      case BPF_NEG: result = 0 - a; break;
      case BPF_MOV: result = b; break;
      default: return false;
    }
    const bool is_constant_beyond = BPF_SRC(i.code) == BPF_K && b > most_shift;
    if ((operation == BPF_LSH || operation == BPF_RSH) && is_constant_beyond) return false;
    if ((operation == BPF_DIV || operation == BPF_MOD) && BPF_SRC(i.code) == BPF_K && b == 0) return false;
    set(i.dst_reg, narrow ? static_cast<std::uint32_t>(result) : result);
    return true;
  }

  bool jump(const bpf_insn& i) {
    const int operation = BPF_OP(i.code);
    if (operation == BPF_CALL) return call(i.imm);
    if (operation == BPF_EXIT) {
      ended_ = true;
      ended_with_ = static_cast<std::uint32_t>(registers_[0]);
      return known_[0];
    }
    if (i.off < 0) return false;
    const auto target = at_ + static_cast<std::size_t>(i.off);
    if (operation == BPF_JA) {
      at_ = target;
      return true;
    }
    const auto second = other(i);
    if (!second || !known_[i.dst_reg]) return false;
    const bool narrow = BPF_CLASS(i.code) == BPF_JMP32;
    const std::uint64_t a = narrow ? static_cast<std::uint32_t>(registers_[i.dst_reg]) : registers_[i.dst_reg];
    const std::uint64_t b = narrow ? static_cast<std::uint32_t>(*second) : *second;
    bool is = false;
    switch (operation) {
      case BPF_JEQ: is = a == b; break;
      case BPF_JNE: is = a != b; break;
      case BPF_JGT: is = a > b; break;
      case BPF_JGE: is = a >= b; break;
      case BPF_JLT: is = a < b; break;
      case BPF_JLE: is = a <= b; break;
      case BPF_JSET: is = a & b; break;
      default: return false;
    }
    if (is) at_ = target;
    return true;
  }

  void lose_arguments() {
    for (unsigned number = 1; number <= 5; ++number) known_[number] = false;
  }

  bool call(std::int32_t helper) {
    if (helper == static_cast<std::int32_t>(BpfHelper::get_smp_processor_id)) {
      lose_arguments();
      set(0, 0);
      return true;
    }
    if (helper != static_cast<std::int32_t>(BpfHelper::map_lookup_element)) return false;
    std::uint32_t key = 0;
    const bool good = known_[1] && registers_[1] == address(this) && known_[2] && read(registers_[2], &key, sizeof key);
    lose_arguments();
    set(0, address(&counter_));
    return good && key == 0;
  }

  // Where that is in memory which is the program's; null if it is not. `written`: what was written of it, if it counts.
  std::uint8_t* place(std::uint64_t at, std::size_t size, bool to_write, bool*& written) {
    const std::uint64_t stack = address(stack_.data());
    if (at >= stack && at + size <= stack + stack_.size() && at % size == 0) {
      written = written_.data() + (at - stack);
      return stack_.data() + (at - stack);
    }
    written = nullptr;
    if (at == address(&counter_) && size == sizeof counter_) return reinterpret_cast<std::uint8_t*>(&counter_);
    const std::uint64_t context = address(&context_);
    const bool is_context = at >= context && at + size <= context + sizeof context_ && size == 4 && !to_write;
    return is_context ? reinterpret_cast<std::uint8_t*>(&context_) + (at - context) : nullptr;
  }

  bool read(std::uint64_t at, void* to, std::size_t size) {
    bool* written = nullptr;
    const std::uint8_t* const from = place(at, size, false, written);
    if (!from) return false;
    for (std::size_t i = 0; written && i < size; ++i) {
      if (!written[i]) return false;
    }
    std::memcpy(to, from, size);
    return true;
  }

  static std::size_t bytes_of(int code) {
    switch (BPF_SIZE(code)) {
      case BPF_DW: return 8;
      case BPF_W: return 4;
      case BPF_H: return 2;
      default: return 1;
    }
  }

  bool load(const bpf_insn& i) {
    if (BPF_MODE(i.code) != BPF_MEM || !known_[i.src_reg] || i.dst_reg == 10) return false;
    std::uint64_t value = 0;
    if (!read(registers_[i.src_reg] + static_cast<std::uint64_t>(std::int64_t{i.off}), &value, bytes_of(i.code))) {
      return false;
    }
    set(i.dst_reg, value);
    return true;
  }

  bool store(const bpf_insn& i) {
    if (!known_[i.dst_reg] || (BPF_CLASS(i.code) == BPF_STX && !known_[i.src_reg])) return false;
    const std::uint64_t value =
        BPF_CLASS(i.code) == BPF_STX ? registers_[i.src_reg] : static_cast<std::uint64_t>(std::int64_t{i.imm});
    const std::uint64_t at = registers_[i.dst_reg] + static_cast<std::uint64_t>(std::int64_t{i.off});
    const std::size_t size = bytes_of(i.code);
    bool* written = nullptr;
    std::uint8_t* const to = place(at, size, true, written);
    if (!to) return false;
    if (BPF_MODE(i.code) == BPF_ATOMIC) {
      counter_ += value;
      return to == reinterpret_cast<std::uint8_t*>(&counter_) && i.imm == BPF_ADD;
    }
    if (BPF_MODE(i.code) != BPF_MEM || !written) return false;
    std::memcpy(to, &value, size);
    std::fill(written, written + size, true);
    return true;
  }

  bool load_map(const bpf_insn& i) {
    if (i.code != (BPF_LD | BPF_DW | BPF_IMM) || i.src_reg != BPF_PSEUDO_MAP_FD || at_ == program_.size()) return false;
    ++at_;
    set(i.dst_reg, address(this));
    return true;
  }

  // Places that look negative mean something else to the kernel.
  bool load_from_frame(const bpf_insn& i) {
    const bool indirect = BPF_MODE(i.code) == BPF_IND;
    if (!indirect && BPF_MODE(i.code) != BPF_ABS) return false;
    if (!known_[6] || registers_[6] != address(&context_) || (indirect && !known_[i.src_reg])) return false;
    const std::int64_t place = i.imm + (indirect ? static_cast<std::int32_t>(registers_[i.src_reg]) : std::int64_t{0});
    if (place < 0 || place > INT32_MAX) return false;
    lose_arguments();
    const std::size_t size = bytes_of(i.code);
    if (static_cast<std::uint64_t>(place) + size > frame_.size()) {
      ended_ = true;
      ended_with_ = 0;
      return true;
    }
    std::uint64_t value = 0;
    for (std::size_t k = 0; k < size; ++k) value = value << 8 | frame_[static_cast<std::size_t>(place) + k];
    set(0, value);
    return true;
  }

  const std::vector<bpf_insn>& program_;
  const std::span<const std::uint8_t> frame_;
  __sk_buff context_{};
  std::array<std::uint64_t, 11> registers_{};
  std::array<bool, 11> known_{};
  alignas(8) std::array<std::uint8_t, 512> stack_{};
  std::array<bool, 512> written_{};
  std::uint64_t counter_ = 0;
  std::size_t at_ = 0;
  bool ended_ = false;
  std::uint32_t ended_with_ = 0;
};

}  // namespace warpmeter::test
