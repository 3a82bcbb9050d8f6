// What a capture file says about itself, apart from its packets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "packet/file/input_format.h"

namespace warpmeter::inline packet {

struct InterfaceFacts {
  std::string name = {}, description = {};  // empty: not told. Bytes of the file, whatever they are
  std::uint16_t link = 0;         // LINKTYPE number; kUnknownLink: formats that number links in another way have none
  bool decoded = true;            // its packets are
  std::uint32_t snap_length = 0;  // 0 = none, or not told
  std::uint8_t resolution = 6;    // of its times: 10^-n s, with the high bit 2^-n s
  std::uint64_t packets = 0;      // read so far, where counts_packets

  bool same_as(const InterfaceFacts& o) const {
    return name == o.name && description == o.description && link == o.link && snap_length == o.snap_length &&
           resolution == o.resolution;
  }
};

struct CaptureFacts {
  InputFormat format = InputFormat::automatic;  // never so once told
  std::string compression = {};                 // "gzip", ...; empty: none
  bool modified = false;                        // pcap of Kuznetzov's form
  bool big_endian = false;                      // pcapng: the section read last
  std::uint64_t sections = 1;                   // pcapng
  std::vector<InterfaceFacts> interfaces = {};  // those read so far; alike ones of several sections are one
  std::uint64_t more_interfaces = 0;            // not listed, because there are so many
  bool counts_packets = false;                  // of each interface; otherwise there is but one
};

}  // namespace warpmeter::inline packet
