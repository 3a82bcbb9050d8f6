// An HP-CAP raw file in memory.
#pragma once

#include "support/byte_writer.h"

namespace warpmeter::test {

class HpcapFile {
 public:
  // The header alone.
  HpcapFile& header(std::uint32_t seconds, std::uint32_t nanoseconds, std::uint16_t captured, std::uint16_t original) {
    file_.u32(seconds).u32(nanoseconds).u16(captured).u16(original);
    return *this;
  }
  HpcapFile& record(std::uint32_t seconds, std::uint32_t nanoseconds, const Bytes& bytes,
                    std::uint16_t not_captured = 0) {
    const auto size = static_cast<std::uint16_t>(bytes.size());
    return header(seconds, nanoseconds, size, static_cast<std::uint16_t>(size + not_captured)).raw(bytes);
  }
  HpcapFile& padding(std::uint16_t bytes) { return header(0, 0, bytes, bytes).raw(Bytes(bytes, 0xee)); }
  HpcapFile& raw(const Bytes& bytes) {
    file_.bytes(bytes);
    return *this;
  }
  const Bytes& data() const { return file_.data(); }

 private:
  ByteWriter file_{std::endian::little};
};

}  // namespace warpmeter::test
