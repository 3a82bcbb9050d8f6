// How a translated filter loads from a frame: filter_translation.h. A load from behind its end refuses the frame.
#pragma once

#include "ring/bpf_writer.h"
#include "ring/filter_translation.h"

namespace warpmeter {

// What the program keeps where. Loads from the frame change r0 to r5.
inline constexpr BpfRegister kFilterContext = BpfRegister::r6;  // these loads want it there
inline constexpr BpfRegister kFilterA = BpfRegister::r7;
inline constexpr BpfRegister kFilterX = BpfRegister::r8;
inline constexpr BpfRegister kFilterLength = BpfRegister::r9;  // of the frame, with its tag
inline constexpr int kFilterTag = -68, kFilterScratch = -72;   // on the stack
inline constexpr int kFilterPlace = -80;                       // 64 bits
constexpr int filter_memory(std::uint32_t word) { return -64 + 4 * static_cast<int>(word & 15); }

// Keeps the tag for loads, and counts it in the length.
void keep_tag(BpfWriter& writer, TagBeside beside);

class FilterLoads {
 public:
  FilterLoads(BpfWriter& writer, bool tag_beside, BpfLabel& refuse)
      : w_(writer), tag_beside_(tag_beside), refuse_(refuse) {}

  // `size` is BPF_W, BPF_H or BPF_B.
  void load_at(std::uint32_t place, unsigned size);        // to A
  void load_behind_x(std::uint32_t place, unsigned size);  // to A, from X + place
  void load_ip_header_length(std::uint32_t place);         // to X: four times the lower half of the byte

  bool possible() const { return possible_; }

 private:
  void load_to_r0(std::uint32_t place, unsigned size);
  void load_byte_by_byte(std::uint32_t bytes);

  BpfWriter& w_;
  const bool tag_beside_;
  BpfLabel& refuse_;
  bool possible_ = true;
};

}  // namespace warpmeter
