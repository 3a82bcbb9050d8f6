// Frames of TCP connections that talk: requests of a client, answers of its server.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/packets.h"
#include "warpmeter/feed.h"
#include "warpmeter/link_type.h"

namespace warpmeter::test {

// Packets of 10.0.0.1 and 10.0.0.2, port 80; a connection is known by the client's port.
class TcpTalk {
 public:
  static constexpr std::uint8_t kFinFlag = 0x11, kSynFlag = 0x02, kRstFlag = 0x14, kAckFlag = 0x10;

  TcpTalk& syn(std::uint16_t port) { return add(port, true, 1000, kSynFlag, "").add(port, false, 5000, 0x12, ""); }
  // `at`: the offset of its first byte.
  TcpTalk& client(std::uint16_t port, std::uint32_t at, const std::string& text) {
    return add(port, true, 1001 + at, kAckFlag, text);
  }
  TcpTalk& server(std::uint16_t port, std::uint32_t at, const std::string& text) {
    return add(port, false, 5001 + at, kAckFlag, text);
  }
  // Both have sent so many bytes.
  TcpTalk& fin(std::uint16_t port, std::uint32_t client, std::uint32_t server) {
    return add(port, true, 1001 + client, kFinFlag, "").add(port, false, 5001 + server, kFinFlag, "");
  }

  const std::vector<Bytes>& packets() const { return packets_; }

  // These, so many times (for ever: -1); each time other connections of the same ports, with other sequence numbers.
  FrameFeed feed(int times = 1) const {
    return [made = packets_, times, at = kStart](FrameBlock& block) mutable {
      if (times == 0) return false;
      if (times > 0) --times;
      const auto kept = std::make_shared<const std::vector<Bytes>>(made);
      for (const Bytes& packet : *kept) {
        const auto size = static_cast<std::uint32_t>(packet.size());
        block.frames.push_back({packet.data(), at += 1000, size, size, kLinkRaw});
      }
      block.leases.push_back(kept);
      for (Bytes& packet : made) {
        ++packet[25];  // the sequence number's second byte, and the acknowledgement's
        ++packet[29];
      }
      return true;
    };
  }

 private:
  static constexpr std::int64_t kStart = 1'700'000'000'000'000'000;

  TcpTalk& add(std::uint16_t port, bool of_client, std::uint32_t sequence, std::uint8_t flags,
               const std::string& text) {
    TcpFields fields;
    fields.source_port = of_client ? port : 80;
    fields.destination_port = of_client ? 80 : port;
    fields.sequence = sequence;
    fields.acknowledgement = of_client ? 5001 : 1001;
    fields.flags = flags;
    Bytes packet = ip4({}, tcp(fields, Bytes(text.begin(), text.end())));
    if (!of_client) std::swap(packet[15], packet[19]);  // the last bytes of the addresses
    packets_.push_back(std::move(packet));
    return *this;
  }

  std::vector<Bytes> packets_;
};

}  // namespace warpmeter::test
