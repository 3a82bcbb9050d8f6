// A pcap file in memory, in any of its dialects.
#pragma once

#include "support/byte_writer.h"

namespace warpmeter::test {

inline constexpr std::uint32_t kPcapMicroseconds = 0xa1b2c3d4;
inline constexpr std::uint32_t kPcapNanoseconds = 0xa1b23c4d;
inline constexpr std::uint32_t kPcapModified = 0xa1b2cd34;

struct PcapDialect {
  std::endian order = std::endian::little;
  std::uint32_t magic = kPcapMicroseconds;
  std::uint16_t major = 2;
  std::uint16_t minor = 4;
  std::uint32_t link = 1;
};

class PcapFile {
 public:
  explicit PcapFile(const PcapDialect& dialect = {}) : dialect_(dialect), file_(dialect.order) {
    file_.u32(dialect.magic).u16(dialect.major).u16(dialect.minor).u32(0).u32(0).u32(65535).u32(dialect.link);
  }

  // The length fields as given, whatever they mean in this dialect.
  PcapFile& header(std::uint32_t seconds, std::uint32_t fraction, std::uint32_t first, std::uint32_t second) {
    file_.u32(seconds).u32(fraction).u32(first).u32(second);
    if (dialect_.magic == kPcapModified) file_.u32(7).u16(0x0800).u16(0);
    return *this;
  }

  PcapFile& record(std::uint32_t seconds, std::uint32_t fraction, const Bytes& bytes) {
    const auto size = static_cast<std::uint32_t>(bytes.size());
    header(seconds, fraction, size, size);
    file_.bytes(bytes);
    return *this;
  }

  PcapFile& raw(const Bytes& bytes) {
    file_.bytes(bytes);
    return *this;
  }

  const Bytes& data() const { return file_.data(); }
  std::size_t size() const { return file_.data().size(); }

 private:
  PcapDialect dialect_;
  ByteWriter file_;
};

}  // namespace warpmeter::test
