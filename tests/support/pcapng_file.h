// A pcapng file in memory, block by block; a new section may change the byte order.
#pragma once

#include "support/byte_writer.h"

namespace warpmeter::test {

class PcapngFile {
 public:
  explicit PcapngFile(std::endian order = std::endian::little) { section(order); }

  PcapngFile& section(std::endian order) {
    order_ = order;
    return block(0x0a0d0d0a, writer().u32(0x1a2b3c4d).u16(1).u16(0).u64(~0ull).data());
  }

  PcapngFile& block(std::uint32_t type, const Bytes& body) {
    const auto length = static_cast<std::uint32_t>(body.size() + 12);
    return raw(writer().u32(type).u32(length).bytes(body).u32(length).data());
  }

  // `options` are encoded by resolution() and offset().
  PcapngFile& interface(std::uint16_t link, const Bytes& options = {}, std::uint32_t snap_length = 0) {
    return block(1, writer().u16(link).u16(0).u32(snap_length).bytes(options).data());
  }

  Bytes resolution(std::uint8_t value) const { return writer().u16(9).u16(1).u8(value).zeros(3).data(); }
  Bytes offset(std::int64_t seconds) const {
    return writer().u16(14).u16(8).u64(static_cast<std::uint64_t>(seconds)).data();
  }

  PcapngFile& enhanced(std::uint32_t interface, std::uint64_t ticks, const Bytes& bytes) {
    const auto size = static_cast<std::uint32_t>(bytes.size());
    return enhanced_claiming(interface, ticks, size, size, bytes);
  }

  PcapngFile& enhanced_claiming(std::uint32_t interface, std::uint64_t ticks, std::uint32_t captured,
                                std::uint32_t original, const Bytes& bytes) {
    ByteWriter w = writer();
    w.u32(interface).u32(ticks >> 32).u32(ticks).u32(captured).u32(original).bytes(bytes).pad_to_4();
    return block(6, w.data());
  }

  PcapngFile& obsolete(std::uint16_t interface, std::uint64_t ticks, const Bytes& bytes) {
    ByteWriter w = writer();
    w.u16(interface).u16(0).u32(ticks >> 32).u32(ticks).u32(bytes.size()).u32(bytes.size()).bytes(bytes).pad_to_4();
    return block(2, w.data());
  }

  PcapngFile& simple(std::uint32_t original, const Bytes& bytes) {
    return block(3, writer().u32(original).bytes(bytes).pad_to_4().data());
  }

  PcapngFile& raw(const Bytes& bytes) {
    file_.insert(file_.end(), bytes.begin(), bytes.end());
    return *this;
  }

  ByteWriter writer() const { return ByteWriter(order_); }
  const Bytes& data() const { return file_; }
  std::size_t size() const { return file_.size(); }

 private:
  std::endian order_ = std::endian::little;
  Bytes file_;
};

}  // namespace warpmeter::test
