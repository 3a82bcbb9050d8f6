// The least that putting streams together does, on one core: hashing who sent a segment to whom, and copying what it
// carries once, into a buffer that stays in the cache. Whole records of TCP over IPv4 in Ethernet alone; all else
// carries nothing. Floors to measure against: nothing is put in order, and nobody gets it.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

namespace floors {

// Of a record of a pcap file.
class TcpSegment {
 public:
  explicit TcpSegment(const std::uint8_t* record) : ip_(record + kRecordHeader + kEthernet) {
    const std::uint32_t captured = load<std::uint32_t>(record + 8);
    if (captured < kEthernet + kLeastHeaders || load<std::uint16_t>(ip_ - 2) != 0x0008 || ip_[0] != 0x45) return;
    if (ip_[9] != kTcp) return;
    const std::uint32_t headers = kIp + (ip_[kIp + 12] >> 4) * 4u;
    const std::uint32_t length = ip_[2] << 8 | ip_[3];
    if (length < headers || kEthernet + length > captured) return;
    is_tcp_ = true;
    payload_ = {ip_ + headers, length - headers};
  }

  // Of addresses and ports; 0 if it is none.
  std::uint64_t hash() const {
    if (!is_tcp_) return 0;
    const std::uint64_t addresses = load<std::uint64_t>(ip_ + 12), ports = load<std::uint32_t>(ip_ + kIp);
    const auto product =
        static_cast<unsigned __int128>(addresses ^ 0x9e3779b97f4a7c15u) * (ports ^ 0xd6e8feb86659fd93u);
    return static_cast<std::uint64_t>(product ^ product >> 64);
  }
  std::span<const std::uint8_t> payload() const { return payload_; }

 private:
  static constexpr std::uint32_t kRecordHeader = 16, kEthernet = 14, kIp = 20, kLeastHeaders = 40;
  static constexpr std::uint8_t kTcp = 6;

  template <class T>
  static T load(const std::uint8_t* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }

  const std::uint8_t* ip_;
  bool is_tcp_ = false;
  std::span<const std::uint8_t> payload_;
};

// As a block that is filled, given away and filled again.
class HotBuffer {
 public:
  void add(std::span<const std::uint8_t> bytes) {
    if (fill_ + bytes.size() > kBlock) fill_ = 0;
    std::memcpy(data_.get() + fill_, bytes.data(), bytes.size());
    fill_ += bytes.size();
    bytes_ += bytes.size();
  }
  std::uint64_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t kBlock = 16 << 10, kLargestSegment = 64 << 10;
  const std::unique_ptr<std::uint8_t[]> data_{new std::uint8_t[kBlock + kLargestSegment]};
  std::size_t fill_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace floors
