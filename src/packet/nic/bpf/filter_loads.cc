#include "packet/nic/bpf/filter_loads.h"

#include <cstddef>

namespace warpmeter::inline packet {
namespace {

using R = BpfRegister;

constexpr std::uint32_t kTagAt = 12, kTagBytes = 4, kBehindTag = kTagAt + kTagBytes;
constexpr std::uint32_t kMostPlace = 1 << 30;  // the kernel means something else with places that look negative
constexpr std::uint32_t kByteBits = 8, kWordBits = 16;

std::uint32_t bytes_of(BpfSize size) { return size == BpfSize::word ? 4 : size == BpfSize::half ? 2 : 1; }

}  // namespace

void keep_tag(BpfCode& code, TagBeside beside) {
  if (beside.of == TagBeside::Of::all) {
    code.set32(R::argument1, beside.tag);
  } else {
    code.load32(R::argument1, kFilterContext, offsetof(__sk_buff, vlan_proto));
    code.swap_to_big_endian16(R::argument1);
    code.load32(R::argument2, kFilterContext, offsetof(__sk_buff, vlan_tci));
    code.compute32(BpfOperation::bit_and, R::argument2, 0xffff);
    code.compute32(BpfOperation::shift_left, R::argument1, kWordBits);
    code.compute32(BpfOperation::bit_or, R::argument1, R::argument2);
  }
  code.store32(R::stack, kFilterTag, R::argument1);
  code.compute32(BpfOperation::add, kFilterLength, kTagBytes);
}

// REQUIRES: the frame is so long. A is changed where the load is of some bytes in the tag and of some beside it.
void FilterLoads::load_to_result(std::uint32_t place, BpfSize size) {
  const std::uint32_t bytes = bytes_of(size);
  if (!tag_beside_ || place + bytes <= kTagAt) return code_.load_from_frame(size, place);
  if (place >= kBehindTag) return code_.load_from_frame(size, place - kTagBytes);
  if (place >= kTagAt && place + bytes <= kBehindTag) {
    code_.load32(R::result, R::stack, kFilterTag);
    code_.compute32(BpfOperation::shift_right, R::result, (kBehindTag - place - bytes) * kByteBits);
    if (bytes < 4) code_.compute32(BpfOperation::bit_and, R::result, (1u << bytes * kByteBits) - 1);
    return;
  }
  code_.set32(kFilterA, 0);
  for (std::uint32_t i = 0; i < bytes; ++i) {
    load_to_result(place + i, BpfSize::byte);
    code_.compute32(BpfOperation::shift_left, kFilterA, kByteBits);
    code_.compute32(BpfOperation::bit_or, kFilterA, R::result);
  }
  code_.move32(R::result, kFilterA);
}

void FilterLoads::load_at(std::uint32_t place, BpfSize size) {
  possible_ &= place < kMostPlace;
  code_.jump_if32(kFilterLength, BpfIs::below, place + bytes_of(size), refuse_);
  load_to_result(place, size);
  code_.move32(kFilterA, R::result);
}

void FilterLoads::load_ip_header_length(std::uint32_t place) {
  possible_ &= place < kMostPlace;
  code_.jump_if32(kFilterLength, BpfIs::at_most, place, refuse_);
  load_to_result(place, BpfSize::byte);
  code_.compute32(BpfOperation::bit_and, R::result, 0xfu);
  code_.compute32(BpfOperation::shift_left, R::result, 2u);
  code_.move32(kFilterX, R::result);
}

void FilterLoads::load_behind_x(std::uint32_t place, BpfSize size) {
  possible_ &= place < kMostPlace;
  const std::uint32_t bytes = bytes_of(size);
  code_.move32(R::argument1, kFilterX);
  code_.add(R::argument1, static_cast<std::int32_t>(place));
  code_.move(R::argument2, R::argument1);
  code_.add(R::argument2, static_cast<std::int32_t>(bytes));
  code_.jump_if(R::argument2, BpfIs::above, kFilterLength, refuse_);
  const auto done = code_.label();
  if (tag_beside_) {
    const auto before = code_.label(), behind = code_.label();
    code_.jump_if32(R::argument1, BpfIs::at_least, kBehindTag, behind);
    code_.jump_if32(R::argument2, BpfIs::at_most, kTagAt, before);
    load_byte_by_byte(bytes);
    code_.jump(done);
    code_.place(behind);
    code_.compute32(BpfOperation::subtract, R::argument1, kTagBytes);
    code_.place(before);
  }
  code_.load_from_frame(size, R::argument1);
  code_.move32(kFilterA, R::result);
  code_.place(done);
}

// From where the first argument says, which is in the tag or reaches into it.
void FilterLoads::load_byte_by_byte(std::uint32_t bytes) {
  code_.store64(R::stack, kFilterPlace, R::argument1);
  code_.set32(kFilterA, 0);
  for (std::uint32_t i = 0; i < bytes; ++i) {
    const auto before = code_.label(), behind = code_.label(), done = code_.label();
    code_.load64(R::argument1, R::stack, kFilterPlace);
    code_.compute32(BpfOperation::add, R::argument1, i);
    code_.jump_if32(R::argument1, BpfIs::below, kTagAt, before);
    code_.jump_if32(R::argument1, BpfIs::at_least, kBehindTag, behind);
    code_.set32(R::argument2, kBehindTag - 1);
    code_.compute32(BpfOperation::subtract, R::argument2, R::argument1);
    code_.compute32(BpfOperation::shift_left, R::argument2, 3u);
    code_.load32(R::result, R::stack, kFilterTag);
    code_.compute32(BpfOperation::shift_right, R::result, R::argument2);
    code_.compute32(BpfOperation::bit_and, R::result, 0xffu);
    code_.jump(done);
    code_.place(behind);
    code_.compute32(BpfOperation::subtract, R::argument1, kTagBytes);
    code_.place(before);
    code_.load_from_frame(BpfSize::byte, R::argument1);
    code_.place(done);
    code_.compute32(BpfOperation::shift_left, kFilterA, kByteBits);
    code_.compute32(BpfOperation::bit_or, kFilterA, R::result);
  }
}

}  // namespace warpmeter::inline packet
