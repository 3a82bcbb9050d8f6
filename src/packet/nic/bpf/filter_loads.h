// How a translated filter loads from a frame: kernel_filter.h. A load from behind its end refuses the frame.
#pragma once

#include "packet/nic/bpf/bpf_code.h"
#include "packet/nic/bpf/kernel_filter.h"

namespace warpmeter::inline packet {

// What the program keeps where. Loads from the frame change the result and arguments.
inline constexpr BpfRegister kFilterContext = BpfRegister::kept1;  // these loads want it there
inline constexpr BpfRegister kFilterA = BpfRegister::kept2;
inline constexpr BpfRegister kFilterX = BpfRegister::kept3;
inline constexpr BpfRegister kFilterLength = BpfRegister::kept4;       // of the frame, with its tag
inline constexpr std::int16_t kFilterTag = -68, kFilterScratch = -72;  // on the stack
inline constexpr std::int16_t kFilterPlace = -80;                      // 64 bits
constexpr std::int16_t filter_memory(std::uint32_t word) {
  return static_cast<std::int16_t>(-64 + 4 * static_cast<int>(word & 15));
}

// Keeps the tag for loads, and counts it in the length.
void keep_tag(BpfCode& code, TagBeside beside);

class FilterLoads {
 public:
  FilterLoads(BpfCode& code, bool tag_beside, BpfCode::Label refuse)
      : code_(code), tag_beside_(tag_beside), refuse_(refuse) {}

  void load_at(std::uint32_t place, BpfSize size);        // to A
  void load_behind_x(std::uint32_t place, BpfSize size);  // to A, from X + place
  void load_ip_header_length(std::uint32_t place);        // to X: four times the lower half of the byte

  bool possible() const { return possible_; }

 private:
  void load_to_result(std::uint32_t place, BpfSize size);
  void load_byte_by_byte(std::uint32_t bytes);

  BpfCode& code_;
  const bool tag_beside_;
  const BpfCode::Label refuse_;
  bool possible_ = true;
};

}  // namespace warpmeter::inline packet
