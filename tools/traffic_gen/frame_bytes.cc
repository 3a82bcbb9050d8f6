#include "frame_bytes.h"

#include <algorithm>
#include <cstring>

namespace traffic_gen {
namespace {

constexpr uint32_t kEthernet = 14, kTag = 4, kSmallestFrame = 60, kRecordHeader = 16;
constexpr uint32_t kUdpHeader = 8, kEchoHeader = 8, kSerial = 8;
constexpr uint8_t kEchoRequest = 8, kEchoRequestV6 = 128, kEchoReplyV6 = 129;

void put16(uint8_t* out, uint32_t value) {
  out[0] = static_cast<uint8_t>(value >> 8);
  out[1] = static_cast<uint8_t>(value);
}

void put32(uint8_t* out, uint32_t value) {
  value = __builtin_bswap32(value);
  std::memcpy(out, &value, 4);
}

void put_host32(uint8_t* out, uint64_t value) {
  const auto low = static_cast<uint32_t>(value);
  std::memcpy(out, &low, 4);
}

uint64_t sum_words(const uint8_t* bytes, size_t length) {
  uint64_t sum = 0;
  for (size_t i = 0; i < length; i += 2) sum += static_cast<uint32_t>(bytes[i] << 8 | bytes[i + 1]);
  return sum;
}

uint16_t checksum(uint64_t sum) {
  while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<uint16_t>(~sum);
}

uint32_t ip_header(const Connection& c) { return c.tuple.version == 4 ? 20 : 40; }

uint32_t tcp_options(const Connection& c, uint8_t flags) {
  return (c.timestamps ? 12u : 0u) + (flags & kSyn ? 4u : 0u);
}

uint32_t transport_header(const Connection& c, uint8_t flags) {
  if (c.tuple.protocol == kTcp) return 20 + tcp_options(c, flags);
  return c.tuple.protocol == kUdp ? kUdpHeader : kEchoHeader;
}

uint8_t* ethernet(uint8_t* out, const Connection& c, Side side, bool routed) {
  const uint8_t client[6] = {0x02, 0, 0x5e, 0, c.tuple.address[kClient][2], 1};
  const uint8_t server[6] = {0x02, 0, 0x5e, 1, c.tuple.address[kServer][2], static_cast<uint8_t>(routed ? 3 : 2)};
  std::memcpy(out, side == kClient ? server : client, 6);
  std::memcpy(out + 6, side == kClient ? client : server, 6);
  out += 12;
  if (c.tuple.tagged) {
    put16(out, 0x8100);
    put16(out + 2, c.tuple.vlan);
    out += kTag;
  }
  put16(out, c.tuple.version == 4 ? 0x0800 : 0x86dd);
  return out + 2;
}

uint8_t* ip(uint8_t* out, const Connection& c, Side side, const Stamp& stamp, uint32_t length) {
  const Tuple& t = c.tuple;
  const auto hops = static_cast<uint8_t>((side == kClient ? 64 : 57) - stamp.routed);
  if (t.version == 4) {
    const uint8_t start[12] = {0x45, 0, 0, 0, 0, 0, 0x40, 0, hops, t.protocol, 0, 0};
    std::memcpy(out, start, sizeof start);
    put16(out + 2, length);
    put16(out + 4, stamp.id);
    std::memcpy(out + 12, t.address[side], 4);
    std::memcpy(out + 16, t.address[other(side)], 4);
    put16(out + 10, checksum(sum_words(out, 20)));
    return out + 20;
  }
  put32(out, 0x60000000);
  put16(out + 4, length - 40);
  out[6] = t.protocol;
  out[7] = hops;
  std::memcpy(out + 8, t.address[side], 16);
  std::memcpy(out + 24, t.address[other(side)], 16);
  return out + 40;
}

// -> bytes written, checksum still zero
size_t tcp(uint8_t* out, const Connection& c, const Planned& p, const Stamp& stamp) {
  const size_t size = transport_header(c, p.flags);
  put16(out, c.tuple.ports[p.side]);
  put16(out + 2, c.tuple.ports[other(p.side)]);
  put32(out + 4, c.directions[p.side].isn + static_cast<uint32_t>(p.offset));
  put32(out + 8, p.flags & kAck ? p.ack : 0);
  out[12] = static_cast<uint8_t>(size / 4 << 4);
  out[13] = p.flags;
  put16(out + 14, p.window);
  put32(out + 16, 0);
  uint8_t* option = out + 20;
  if (p.flags & kSyn) {
    put32(option, 0x02040000u | c.largest);
    option += 4;
  }
  if (c.timestamps) {
    put32(option, 0x0101080a);
    put32(option + 4, stamp.stamp);
    put32(option + 8, p.flags & kAck ? stamp.stamp - 1 : 0);
  }
  return size;
}

size_t udp(uint8_t* out, const Connection& c, const Planned& p) {
  put16(out, c.tuple.ports[p.side]);
  put16(out + 2, c.tuple.ports[other(p.side)]);
  put16(out + 4, kUdpHeader + p.length);
  put16(out + 6, 0);
  return kUdpHeader;
}

size_t echo(uint8_t* out, const Connection& c, const Planned& p) {
  const bool request = p.side == kClient;
  if (c.tuple.version == 4) out[0] = request ? kEchoRequest : 0;
  else out[0] = request ? kEchoRequestV6 : kEchoReplyV6;
  out[1] = 0;
  put16(out + 2, 0);
  put16(out + 4, c.tuple.ports[kClient]);
  put16(out + 6, static_cast<uint32_t>(p.offset));
  return kEchoHeader;
}

}  // namespace

uint32_t ip_length(const Connection& c, const Planned& p) {
  return ip_header(c) + transport_header(c, p.flags) + p.length;
}

uint32_t tcp_overhead(const Connection& c) {
  return kEthernet + (c.tuple.tagged ? kTag : 0) + ip_header(c) + transport_header(c, kAck);
}

size_t FrameWriter::file_header(uint8_t* out) const {
  const uint32_t header[6] = {microseconds_ ? 0xa1b2c3d4u : 0xa1b23c4du, 2 | 4 << 16, 0, 0, snaplen_, 1};
  std::memcpy(out, header, sizeof header);
  return sizeof header;
}

size_t FrameWriter::record(uint8_t* out, const Connection& c, const Planned& p, const Stamp& stamp) const {
  const uint32_t length = ip_length(c, p);
  uint8_t* frame = out + kRecordHeader;
  uint8_t* end = ethernet(frame, c, p.side, stamp.routed);
  end = ip(end, c, p.side, stamp, length);
  end = transport(end, c, p, stamp, length - ip_header(c));
  auto original = static_cast<uint32_t>(end - frame);
  if (original < kSmallestFrame) {
    std::memset(end, 0, kSmallestFrame - original);
    original = kSmallestFrame;
  }
  const uint32_t captured = std::min(original, snaplen_);
  const uint64_t fraction = stamp.time % 1'000'000'000;
  put_host32(out, stamp.time / 1'000'000'000);
  put_host32(out + 4, microseconds_ ? fraction / 1000 : fraction);
  put_host32(out + 8, captured);
  put_host32(out + 12, original);
  return kRecordHeader + captured;
}

// `length`: of transport header and payload. Payload beyond the snaplen is counted, not copied.
uint8_t* FrameWriter::transport(uint8_t* out, const Connection& c, const Planned& p, const Stamp& stamp,
                                uint32_t length) const {
  const uint8_t protocol = c.tuple.protocol;
  size_t header = 0, checksum_at = 2;
  if (protocol == kTcp) header = tcp(out, c, p, stamp), checksum_at = 16;
  else if (protocol == kUdp) header = udp(out, c, p), checksum_at = 6;
  else header = echo(out, c, p);

  uint32_t left = p.length;
  if (protocol == kUdp) {  // what makes two datagrams of one direction differ
    put32(out + header, static_cast<uint32_t>(p.offset >> 32));
    put32(out + header + 4, static_cast<uint32_t>(p.offset));
    header += kSerial;
    left -= kSerial;
  }
  const uint64_t start = p.offset + ((p.flags & kSyn) != 0);
  uint64_t sum = sum_words(out, header) + payload_.sum(start, left);
  if (protocol != kIcmp) sum += c.tuple.address_sum + protocol + length;
  const uint16_t value = checksum(sum);
  put16(out + checksum_at, protocol == kUdp && value == 0 ? 0xffff : value);
  payload_.copy(out + header, start, std::min(left, snaplen_));
  return out + header + left;
}

}  // namespace traffic_gen
