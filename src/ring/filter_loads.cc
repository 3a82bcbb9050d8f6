#include "ring/filter_loads.h"

#include <cstddef>

namespace warpmeter {
namespace {

using R = BpfRegister;

constexpr std::uint32_t kTagAt = 12, kTagBytes = 4, kBehindTag = kTagAt + kTagBytes;
constexpr std::uint32_t kMostPlace = 1 << 30;  // the kernel means something else with places that look negative
constexpr std::uint32_t kByteBits = 8, kWordBits = 16;

std::uint32_t bytes_of(unsigned size) { return size == BPF_W ? 4 : size == BPF_H ? 2 : 1; }

}  // namespace

void keep_tag(BpfWriter& w, TagBeside beside) {
  if (beside.of == TagBeside::Of::all) {
    w.set(R::r1, beside.tag);
  } else {
    w.load(BPF_W, R::r1, kFilterContext, offsetof(__sk_buff, vlan_proto));
    w.step(BPF_ALU | BPF_END | BPF_TO_BE, R::r1, R::r0, 0, kWordBits);
    w.load(BPF_W, R::r2, kFilterContext, offsetof(__sk_buff, vlan_tci));
    w.compute(BPF_AND, R::r2, 0xffff);
    w.compute(BPF_LSH, R::r1, kWordBits);
    w.compute(BPF_OR, R::r1, R::r2);
  }
  w.store(BPF_W, R::stack, kFilterTag, R::r1);
  w.compute(BPF_ADD, kFilterLength, kTagBytes);
}

// REQUIRES: the frame is so long. A is changed where the load is of some bytes in the tag and of some beside it.
void FilterLoads::load_to_r0(std::uint32_t place, unsigned size) {
  const std::uint32_t bytes = bytes_of(size);
  if (!tag_beside_ || place + bytes <= kTagAt) return w_.step(BPF_LD | BPF_ABS | size, R::r0, R::r0, 0, place);
  if (place >= kBehindTag) return w_.step(BPF_LD | BPF_ABS | size, R::r0, R::r0, 0, place - kTagBytes);
  if (place >= kTagAt && place + bytes <= kBehindTag) {
    w_.load(BPF_W, R::r0, R::stack, kFilterTag);
    w_.compute(BPF_RSH, R::r0, (kBehindTag - place - bytes) * kByteBits);
    if (bytes < 4) w_.compute(BPF_AND, R::r0, (1u << bytes * kByteBits) - 1);
    return;
  }
  w_.set(kFilterA, 0);
  for (std::uint32_t i = 0; i < bytes; ++i) {
    load_to_r0(place + i, BPF_B);
    w_.compute(BPF_LSH, kFilterA, kByteBits);
    w_.compute(BPF_OR, kFilterA, R::r0);
  }
  w_.move(R::r0, kFilterA);
}

void FilterLoads::load_at(std::uint32_t place, unsigned size) {
  possible_ &= place < kMostPlace;
  w_.jump_if(BPF_JLT, kFilterLength, place + bytes_of(size), refuse_);
  load_to_r0(place, size);
  w_.move(kFilterA, R::r0);
}

void FilterLoads::load_ip_header_length(std::uint32_t place) {
  possible_ &= place < kMostPlace;
  w_.jump_if(BPF_JLE, kFilterLength, place, refuse_);
  load_to_r0(place, BPF_B);
  w_.compute(BPF_AND, R::r0, 0xfu);
  w_.compute(BPF_LSH, R::r0, 2u);
  w_.move(kFilterX, R::r0);
}

void FilterLoads::load_behind_x(std::uint32_t place, unsigned size) {
  possible_ &= place < kMostPlace;
  const std::uint32_t bytes = bytes_of(size);
  w_.move(R::r1, kFilterX);
  w_.add64(R::r1, static_cast<std::int32_t>(place));
  w_.move64(R::r2, R::r1);
  w_.add64(R::r2, static_cast<std::int32_t>(bytes));
  w_.jump_if64(BPF_JGT, R::r2, kFilterLength, refuse_);
  BpfLabel done;
  if (tag_beside_) {
    BpfLabel before, behind, load;
    w_.jump_if(BPF_JGE, R::r1, kBehindTag, behind);
    w_.jump_if(BPF_JLE, R::r2, kTagAt, before);
    load_byte_by_byte(bytes);
    w_.jump(done);
    w_.place(behind);
    w_.compute(BPF_SUB, R::r1, kTagBytes);
    w_.place(before);
  }
  w_.step(BPF_LD | BPF_IND | size, R::r0, R::r1);
  w_.move(kFilterA, R::r0);
  w_.place(done);
}

// From where r1 says, which is in the tag or reaches into it.
void FilterLoads::load_byte_by_byte(std::uint32_t bytes) {
  w_.step(BPF_STX | BPF_MEM | BPF_DW, R::stack, R::r1, kFilterPlace);
  w_.set(kFilterA, 0);
  for (std::uint32_t i = 0; i < bytes; ++i) {
    BpfLabel before, behind, done;
    w_.load(BPF_DW, R::r1, R::stack, kFilterPlace);
    w_.compute(BPF_ADD, R::r1, i);
    w_.jump_if(BPF_JLT, R::r1, kTagAt, before);
    w_.jump_if(BPF_JGE, R::r1, kBehindTag, behind);
    w_.set(R::r2, kBehindTag - 1);
    w_.compute(BPF_SUB, R::r2, R::r1);
    w_.compute(BPF_LSH, R::r2, 3u);
    w_.load(BPF_W, R::r0, R::stack, kFilterTag);
    w_.compute(BPF_RSH, R::r0, R::r2);
    w_.compute(BPF_AND, R::r0, 0xffu);
    w_.jump(done);
    w_.place(behind);
    w_.compute(BPF_SUB, R::r1, kTagBytes);
    w_.place(before);
    w_.step(BPF_LD | BPF_IND | BPF_B, R::r0, R::r1);
    w_.place(done);
    w_.compute(BPF_LSH, kFilterA, kByteBits);
    w_.compute(BPF_OR, kFilterA, R::r0);
  }
}

}  // namespace warpmeter
