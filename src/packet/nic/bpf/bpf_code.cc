#include "packet/nic/bpf/bpf_code.h"

#include <limits>

namespace warpmeter::inline packet {
namespace {

constexpr BpfRegister kNoRegister = BpfRegister::result;
constexpr std::int32_t kHalfBits = 16;

constexpr std::int32_t bits(std::uint32_t value) { return static_cast<std::int32_t>(value); }

}  // namespace

void BpfCode::emit(int code, Register to, Register from, std::int16_t offset, std::int32_t value) {
  bpf_insn instruction{};
  instruction.code = static_cast<std::uint8_t>(code);
  instruction.dst_reg = static_cast<std::uint8_t>(to) & 0xf;
  instruction.src_reg = static_cast<std::uint8_t>(from) & 0xf;
  instruction.off = offset;
  instruction.imm = value;
  code_.push_back(instruction);
}

void BpfCode::move(Register to, Register from) { emit(BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0); }
void BpfCode::set(Register to, std::int32_t value) { emit(BPF_ALU64 | BPF_MOV | BPF_K, to, kNoRegister, 0, value); }
void BpfCode::add(Register to, std::int32_t value) { emit(BPF_ALU64 | BPF_ADD | BPF_K, to, kNoRegister, 0, value); }
void BpfCode::subtract(Register to, Register value) { emit(BPF_ALU64 | BPF_SUB | BPF_X, to, value, 0, 0); }

void BpfCode::move32(Register to, Register from) { emit(BPF_ALU | BPF_MOV | BPF_X, to, from, 0, 0); }

void BpfCode::set32(Register to, std::uint32_t value) {
  emit(BPF_ALU | BPF_MOV | BPF_K, to, kNoRegister, 0, bits(value));
}

void BpfCode::compute32(BpfOperation operation, Register to, std::uint32_t value) {
  emit(BPF_ALU | static_cast<int>(operation) | BPF_K, to, kNoRegister, 0, bits(value));
}

void BpfCode::compute32(BpfOperation operation, Register to, Register value) {
  emit(BPF_ALU | static_cast<int>(operation) | BPF_X, to, value, 0, 0);
}

void BpfCode::swap_to_big_endian16(Register of) { emit(BPF_ALU | BPF_END | BPF_TO_BE, of, kNoRegister, 0, kHalfBits); }

void BpfCode::load16(Register to, Register from, std::int16_t offset) {
  emit(BPF_LDX | BPF_MEM | BPF_H, to, from, offset, 0);
}

void BpfCode::load32(Register to, Register from, std::int16_t offset) {
  emit(BPF_LDX | BPF_MEM | BPF_W, to, from, offset, 0);
}

void BpfCode::load64(Register to, Register from, std::int16_t offset) {
  emit(BPF_LDX | BPF_MEM | BPF_DW, to, from, offset, 0);
}

void BpfCode::store16(Register at, std::int16_t offset, Register value) {
  emit(BPF_STX | BPF_MEM | BPF_H, at, value, offset, 0);
}

void BpfCode::store32(Register at, std::int16_t offset, Register value) {
  emit(BPF_STX | BPF_MEM | BPF_W, at, value, offset, 0);
}

void BpfCode::store64(Register at, std::int16_t offset, Register value) {
  emit(BPF_STX | BPF_MEM | BPF_DW, at, value, offset, 0);
}

void BpfCode::store32(Register at, std::int16_t offset, std::int32_t value) {
  emit(BPF_ST | BPF_MEM | BPF_W, at, kNoRegister, offset, value);
}

void BpfCode::atomic_add64(Register at, std::int16_t offset, Register value) {
  emit(BPF_STX | BPF_ATOMIC | BPF_DW, at, value, offset, BPF_ADD);
}

void BpfCode::load_from_frame(BpfSize size, std::uint32_t place) {
  emit(BPF_LD | BPF_ABS | static_cast<int>(size), kNoRegister, kNoRegister, 0, bits(place));
}

void BpfCode::load_from_frame(BpfSize size, Register place) {
  emit(BPF_LD | BPF_IND | static_cast<int>(size), kNoRegister, place, 0, 0);
}

// Of two instructions' length: the kernel puts an address there.
void BpfCode::load_map(Register to, int map) {
  emit(BPF_LD | BPF_DW | BPF_IMM, to, static_cast<Register>(BPF_PSEUDO_MAP_FD), 0, map);
  emit(0, kNoRegister, kNoRegister, 0, 0);
}

void BpfCode::call(BpfHelper helper) {
  emit(BPF_JMP | BPF_CALL, kNoRegister, kNoRegister, 0, static_cast<std::int32_t>(helper));
}

void BpfCode::call(KernelFunction function) {
  emit(BPF_JMP | BPF_CALL, kNoRegister, static_cast<Register>(BPF_PSEUDO_KFUNC_CALL), 0,
       static_cast<std::int32_t>(function));
}

void BpfCode::exit() { emit(BPF_JMP | BPF_EXIT, kNoRegister, kNoRegister, 0, 0); }

BpfCode::Label BpfCode::label() {
  jumps_.emplace_back();
  return Label{jumps_.size() - 1};
}

// A jump counts from the instruction behind it.
void BpfCode::place(Label label) {
  for (const std::size_t jump : jumps_[static_cast<std::size_t>(label)]) {
    const std::size_t distance = code_.size() - jump - 1;
    too_long_ |= distance > std::numeric_limits<std::int16_t>::max();
    code_[jump].off = static_cast<std::int16_t>(distance);
  }
}

void BpfCode::jump_to(int code, Register value, Register other, std::int32_t constant, Label to) {
  jumps_[static_cast<std::size_t>(to)].push_back(code_.size());
  emit(code, value, other, 0, constant);
}

void BpfCode::jump(Label to) { jump_to(BPF_JMP | BPF_JA, kNoRegister, kNoRegister, 0, to); }

void BpfCode::jump_if(Register value, BpfIs is, std::int32_t other, Label to) {
  jump_to(BPF_JMP | static_cast<int>(is) | BPF_K, value, kNoRegister, other, to);
}

void BpfCode::jump_if(Register value, BpfIs is, Register other, Label to) {
  jump_to(BPF_JMP | static_cast<int>(is) | BPF_X, value, other, 0, to);
}

void BpfCode::jump_if32(Register value, BpfIs is, std::uint32_t other, Label to) {
  jump_to(BPF_JMP32 | static_cast<int>(is) | BPF_K, value, kNoRegister, bits(other), to);
}

void BpfCode::jump_if32(Register value, BpfIs is, Register other, Label to) {
  jump_to(BPF_JMP32 | static_cast<int>(is) | BPF_X, value, other, 0, to);
}

}  // namespace warpmeter::inline packet
