// Headers from drafts. Fields that no rule reads come from small sets, so that packets become alike by chance too.
#include "ip_draft.h"

#include <algorithm>

#include "put_bytes.h"

namespace reference {
namespace {

constexpr uint8_t fragment_header = 44, authentication_header = 51;

void put_address(std::vector<uint8_t>& out, const Address& address, size_t size) {
  out.insert(out.end(), address.begin(), address.begin() + static_cast<std::ptrdiff_t>(size));
}

std::vector<uint8_t> ip4_header(const IpDraft& draft, Random& random, uint32_t length) {
  std::vector<uint8_t> out;
  put(out, 0x45 + draft.options.size() / 4, 1);
  put(out, random.pick({0, 0, 0, 0xb8}), 1);
  put(out, draft.length_zero ? 0 : length, 2);
  put(out, draft.id, 2);
  put(out, draft.fragment_offset | (draft.more_fragments ? 0x2000 : 0) | (random.percent(30) ? 0x4000 : 0), 2);
  put(out, random.pick({64, 63}), 1);
  put(out, draft.protocol, 1);
  put(out, random.bits(), 2);
  put_address(out, draft.source, 4);
  put_address(out, draft.destination, 4);
  put(out, draft.options);
  return out;
}

std::vector<uint8_t> extension(const IpDraft& draft, uint8_t kind, uint8_t following, Random& random) {
  std::vector<uint8_t> out{following};
  const uint64_t units = random.pick({0, 0, 1, 3});
  if (kind == fragment_header) {
    put(out, random.pick({0, 255}), 1);
    put(out, draft.fragment_offset << 3 | draft.more_fragments, 2);
    put(out, random.below(3), 4);
    return out;
  }
  const uint64_t size = kind == authentication_header ? (units + 2) * 4 : (units + 1) * 8;
  put(out, units, 1);
  while (out.size() < size) put(out, 1, 1);
  return out;
}

std::vector<uint8_t> ip6_header(const IpDraft& draft, Random& random, uint32_t payload_length) {
  std::vector<uint8_t> chain;
  for (size_t i = 0; i < draft.extensions.size(); ++i) {
    const bool last = i + 1 == draft.extensions.size();
    put(chain, extension(draft, draft.extensions[i], last ? draft.protocol : draft.extensions[i + 1], random));
  }
  std::vector<uint8_t> out;
  put(out, 0x60000000 | random.pick({0, 0xabcde}), 4);
  put(out, draft.length_zero ? 0 : chain.size() + payload_length, 2);
  put(out, draft.extensions.empty() ? draft.protocol : draft.extensions[0], 1);
  put(out, random.pick({64, 63}), 1);
  put_address(out, draft.source, 16);
  put_address(out, draft.destination, 16);
  put(out, chain);
  return out;
}

}  // namespace

IpPacket to_bytes(const IpDraft& draft, Random& random) {
  IpPacket packet;
  const auto header_size = static_cast<uint32_t>(20 + draft.options.size());
  packet.bytes = draft.ip6 ? ip6_header(draft, random, draft.payload_length)
                           : ip4_header(draft, random, header_size + draft.payload_length);
  packet.length = static_cast<uint32_t>(packet.bytes.size()) + draft.payload_length;
  const auto written = std::min<size_t>(draft.payload.size(), draft.payload_length);
  packet.bytes.insert(packet.bytes.end(), draft.payload.begin(),
                      draft.payload.begin() + static_cast<std::ptrdiff_t>(written));
  return packet;
}

std::vector<uint8_t> tcp_bytes(const SegmentDraft& segment, uint16_t source_port, uint16_t destination_port,
                               Random& random) {
  const uint64_t words = random.pick({5, 5, 5, 6, 8, 15});
  std::vector<uint8_t> out;
  put(out, source_port, 2);
  put(out, destination_port, 2);
  put(out, segment.sequence, 4);
  constexpr uint8_t syn_ack = 0x12;
  const bool answers = (segment.flags & syn_ack) == syn_ack;
  put(out, answers ? segment.acknowledgement : random.pick({0u, 1u, 1u, 77u}), 4);
  put(out, words << 4 | random.pick({0, 0, 0, 1}), 1);
  put(out, segment.flags, 1);
  put(out, segment.window, 2);
  put(out, random.pick({0xbeef, 0x1234}), 2);
  put(out, 0, 2);
  while (out.size() < words * 4) put(out, 1, 1);
  if (words > 5) out.back() = random.pick<uint8_t>({0, 1, 1, 1});
  const size_t written = std::min(segment.payload, 24u);
  for (size_t i = 0; i < written; ++i) put(out, 'a' + i % 3, 1);
  return out;
}

}  // namespace reference
