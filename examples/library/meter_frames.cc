// Meters frames that this program makes itself, and prints their Flow Records: a request of three segments over TCP,
// the second of which is sent twice, and its answers.
#include <arpa/inet.h>
#include <warpmeter/extraction.h>
#include <warpmeter/link_type.h>

#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

namespace {

constexpr std::int64_t kStart = 1'700'000'000'000'000'000;  // ns since 1970
constexpr std::int64_t kStep = 1'000'000;
constexpr int kPayload = 100;

using Packet = std::vector<std::uint8_t>;

void put(Packet& to, std::uint32_t value, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) to.push_back(static_cast<std::uint8_t>(value >> 8 * i));
}

// IPv4 and TCP, without checksums: a meter does not ask for them.
Packet tcp_packet(bool of_client, std::uint32_t sequence, int payload) {
  const std::uint32_t client = 0x0a000001, server = 0xc0a80001;
  Packet packet;
  put(packet, 0x45000000 | static_cast<std::uint32_t>(40 + payload), 4);
  put(packet, 0, 4);           // no fragment
  put(packet, 0x40060000, 4);  // TTL 64, TCP
  put(packet, of_client ? client : server, 4);
  put(packet, of_client ? server : client, 4);
  put(packet, of_client ? 50000 << 16 | 443 : 443U << 16 | 50000, 4);
  put(packet, sequence, 4);
  put(packet, 0, 4);
  put(packet, 0x50100000 | 0xffff, 4);  // no options, ACK, a window
  put(packet, 0, 4);
  packet.resize(packet.size() + static_cast<std::size_t>(payload));
  return packet;
}

// The packets, and a feed of them in one block. The block's lease keeps their bytes.
warpmeter::FrameFeed feed_of(std::vector<Packet> packets) {
  const auto kept = std::make_shared<const std::vector<Packet>>(std::move(packets));
  return [kept, given = false](warpmeter::FrameBlock& block) mutable {
    if (std::exchange(given, true)) return false;
    std::int64_t time = kStart;
    for (const Packet& packet : *kept) {
      const auto length = static_cast<std::uint32_t>(packet.size());
      block.frames.push_back({packet.data(), time += kStep, length, length, warpmeter::kLinkRaw});
    }
    block.leases.push_back(kept);
    return true;
  };
}

void print(const warpmeter::FlowRecord& flow) {
  char source[INET6_ADDRSTRLEN], destination[INET6_ADDRSTRLEN];
  const int family = flow.key.version == 4 ? AF_INET : AF_INET6;
  inet_ntop(family, flow.key.source, source, sizeof source);
  inet_ntop(family, flow.key.destination, destination, sizeof destination);
  std::printf("%s:%u > %s:%u  %llu packets, %llu bytes, %llu segments retransmitted\n", source,
              warpmeter::port_number(flow.key.source_port), destination,
              warpmeter::port_number(flow.key.destination_port), static_cast<unsigned long long>(flow.packets),
              static_cast<unsigned long long>(flow.bytes),
              static_cast<unsigned long long>(flow.retransmitted_segments));
}

}  // namespace

int main() try {
  std::vector<Packet> packets;
  for (const int segment : {0, 1, 1, 2}) {
    packets.push_back(tcp_packet(true, static_cast<std::uint32_t>(segment * kPayload), kPayload));
    packets.push_back(tcp_packet(false, 0, 0));
  }
  warpmeter::Extraction run(feed_of(std::move(packets)), {{"threads", "1"}});
  for (std::vector<warpmeter::Biflow> flows; run.next(flows);) {
    for (const warpmeter::Biflow& flow : flows) print(flow.forward);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "meter_frames: %s\n", error.what());
  return 1;
}
