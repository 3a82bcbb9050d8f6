// One interface of a pcapng section: what its description block says about the packets that name it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace warpmeter::inline packet {

struct PcapngInterface {
  std::uint16_t link = 0;                   // LINKTYPE number as in the file
  std::uint16_t decoded_link = 0;           // the same, or kUnknownLink
  bool refused = false;                     // its frames are not to be read (left_out.h)
  std::uint32_t snap_length = 0;            // 0 = no limit
  std::uint8_t resolution = 6;              // if_tsresol: 10^-n s, with the high bit 2^-n s
  std::int64_t offset_s = 0;                // if_tsoffset
  std::string name = {}, description = {};  // if_name, if_description
  bool lost = false;                        // its description is damaged: nothing of it is known

  // Reads an Interface Description Block's body. REQUIRES: size >= 8.
  static PcapngInterface parse(const std::uint8_t* body, std::size_t size, bool swapped);

  // Ticks since the epoch to ns, finer times cut. What is out of range (limits.h) becomes its end, and is counted in
  // `clamped`, if that is not null.
  std::int64_t time_ns(std::uint64_t ticks, std::uint64_t* clamped = nullptr) const;
};

}  // namespace warpmeter::inline packet
