#include "packet/nic/bpf/bpf_code.h"

#include <linux/btf.h>

#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>

namespace warpmeter::inline packet {
namespace {

// Bytes behind a type; none: its kind is not known, so neither is where the next one begins.
std::optional<std::size_t> bytes_behind(std::uint32_t info) {
  const std::size_t members = BTF_INFO_VLEN(info);
  switch (BTF_INFO_KIND(info)) {
    case BTF_KIND_PTR:
    case BTF_KIND_FWD:
    case BTF_KIND_TYPEDEF:
    case BTF_KIND_VOLATILE:
    case BTF_KIND_CONST:
    case BTF_KIND_RESTRICT:
    case BTF_KIND_FUNC:
    case BTF_KIND_FLOAT:
    case BTF_KIND_TYPE_TAG: return 0;
    case BTF_KIND_INT:
    case BTF_KIND_VAR:
    case BTF_KIND_DECL_TAG: return sizeof(std::uint32_t);
    case BTF_KIND_ARRAY: return sizeof(btf_array);
    case BTF_KIND_STRUCT:
    case BTF_KIND_UNION: return members * sizeof(btf_member);
    case BTF_KIND_ENUM: return members * sizeof(btf_enum);
    case BTF_KIND_FUNC_PROTO: return members * sizeof(btf_param);
    case BTF_KIND_DATASEC: return members * sizeof(btf_var_secinfo);
    case BTF_KIND_ENUM64: return members * sizeof(btf_enum64);
    default: return {};
  }
}

// Nothing where it lies outside.
std::string_view part(std::span<const char> all, std::size_t begin, std::size_t bytes) {
  if (begin > all.size() || bytes > all.size() - begin) return {};
  return {all.data() + begin, bytes};
}

bool is_named(std::string_view strings, std::size_t at, std::string_view name) {
  return at < strings.size() && strings.size() - at > name.size() && strings.substr(at).starts_with(name) &&
         strings[at + name.size()] == '\0';
}

}  // namespace

// Types are numbered from 1 on, in their order.
KernelFunction function_in(std::span<const char> types, std::string_view name) {
  btf_header header;
  if (types.size() < sizeof header) return KernelFunction::none;
  std::memcpy(&header, types.data(), sizeof header);
  if (header.magic != BTF_MAGIC) return KernelFunction::none;
  const std::string_view all = part(types, std::size_t{header.hdr_len} + header.type_off, header.type_len);
  const std::string_view strings = part(types, std::size_t{header.hdr_len} + header.str_off, header.str_len);
  std::int32_t number = 1;
  for (std::size_t at = 0; all.size() - at >= sizeof(btf_type); ++number) {
    btf_type type;
    std::memcpy(&type, all.data() + at, sizeof type);
    const auto behind = bytes_behind(type.info);
    if (!behind || *behind > all.size() - at - sizeof type) return KernelFunction::none;
    if (BTF_INFO_KIND(type.info) == BTF_KIND_FUNC && is_named(strings, type.name_off, name)) {
      return KernelFunction{number};
    }
    at += sizeof type + *behind;
  }
  return KernelFunction::none;
}

KernelFunction kernel_function(std::string_view name) {
  std::ifstream in(kKernelTypes, std::ios::binary);
  const std::string types(std::istreambuf_iterator<char>(in), {});
  return function_in(types, name);
}

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
