#include "xdp/bpf_code.h"

namespace warpmeter {
namespace {

constexpr XdpRegister kNoRegister = XdpRegister::result;

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
void BpfCode::add(Register to, Register value) { emit(BPF_ALU64 | BPF_ADD | BPF_X, to, value, 0, 0); }
void BpfCode::subtract(Register to, Register value) { emit(BPF_ALU64 | BPF_SUB | BPF_X, to, value, 0, 0); }
void BpfCode::bit_and(Register to, std::int32_t value) { emit(BPF_ALU64 | BPF_AND | BPF_K, to, kNoRegister, 0, value); }

void BpfCode::load32(Register to, Register from, std::int16_t offset) {
  emit(BPF_LDX | BPF_MEM | BPF_W, to, from, offset, 0);
}

void BpfCode::load64(Register to, Register from, std::int16_t offset) {
  emit(BPF_LDX | BPF_MEM | BPF_DW, to, from, offset, 0);
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

// Of two instructions' length: the kernel puts an address there.
void BpfCode::load_map(Register to, int map) {
  emit(BPF_LD | BPF_DW | BPF_IMM, to, static_cast<Register>(BPF_PSEUDO_MAP_FD), 0, map);
  emit(0, kNoRegister, kNoRegister, 0, 0);
}

void BpfCode::call(BpfHelper helper) {
  emit(BPF_JMP | BPF_CALL, kNoRegister, kNoRegister, 0, static_cast<std::int32_t>(helper));
}

void BpfCode::exit() { emit(BPF_JMP | BPF_EXIT, kNoRegister, kNoRegister, 0, 0); }

BpfCode::Label BpfCode::label() {
  jumps_.emplace_back();
  return Label{jumps_.size() - 1};
}

// A jump counts from the instruction behind it.
void BpfCode::place(Label label) {
  for (const std::size_t jump : jumps_[static_cast<std::size_t>(label)]) {
    code_[jump].off = static_cast<std::int16_t>(code_.size() - jump - 1);
  }
}

void BpfCode::jump_to(int code, Register value, Register other, std::int32_t constant, Label to) {
  jumps_[static_cast<std::size_t>(to)].push_back(code_.size());
  emit(BPF_JMP | code, value, other, 0, constant);
}

void BpfCode::jump(Label to) { jump_to(BPF_JA, kNoRegister, kNoRegister, 0, to); }

void BpfCode::jump_if_equal(Register value, std::int32_t other, Label to) {
  jump_to(BPF_JEQ | BPF_K, value, kNoRegister, other, to);
}

void BpfCode::jump_if_not_equal(Register value, std::int32_t other, Label to) {
  jump_to(BPF_JNE | BPF_K, value, kNoRegister, other, to);
}

void BpfCode::jump_if_above(Register value, Register other, Label to) { jump_to(BPF_JGT | BPF_X, value, other, 0, to); }

void BpfCode::jump_if_above(Register value, std::int32_t other, Label to) {
  jump_to(BPF_JGT | BPF_K, value, kNoRegister, other, to);
}

void BpfCode::jump_if_below(Register value, std::int32_t other, Label to) {
  jump_to(BPF_JLT | BPF_K, value, kNoRegister, other, to);
}

}  // namespace warpmeter
