// An ERF file in memory.
#pragma once

#include "support/byte_writer.h"

namespace warpmeter::test {

struct ErfFields {
  std::uint8_t type = 2;
  std::uint32_t seconds = 1'700'000'000;
  std::uint32_t fraction = 0;  // of 2^32
  int extensions = 0;
  std::uint16_t wire = 0;     // 0 = as long as the packet
  std::size_t alignment = 0;  // bytes after the packet
};

class ErfFile {
 public:
  // Ethernet gets its two bytes of padding.
  ErfFile& record(const ErfFields& f, const Bytes& packet) {
    const bool ethernet = f.type == 2 || f.type == 11 || f.type == 16 || f.type == 20;
    ByteWriter body;
    for (int i = 0; i < f.extensions; ++i) body.u8(i + 1 < f.extensions ? 0x83 : 3).zeros(7);
    body.zeros(ethernet ? 2 : 0).bytes(packet).zeros(f.alignment);
    return header(f, 16 + body.data().size(), f.wire ? f.wire : packet.size()).raw(body.data());
  }
  // The header alone.
  ErfFile& header(const ErfFields& f, std::size_t size, std::size_t wire) {
    ByteWriter time(std::endian::little);
    raw(time.u32(f.fraction).u32(f.seconds).data());
    return raw(ByteWriter().u8(f.type | (f.extensions ? 0x80 : 0)).u8(4).u16(size).u16(0).u16(wire).data());
  }
  ErfFile& raw(const Bytes& bytes) {
    file_.insert(file_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  const Bytes& data() const { return file_; }

 private:
  Bytes file_;
};

}  // namespace warpmeter::test
