// Where a collector is, and how Flow Records are sent to it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace warpmeter::inline record {

enum class ExportProtocol { ipfix, netflow_v9 };
enum class TransportProtocol { udp, tcp };

// As users write it: udp://HOST[:PORT] or tcp://HOST[:PORT], an IPv6 address in brackets.
struct CollectorAddress {
  TransportProtocol transport = TransportProtocol::udp;
  std::string host;  // name or address, without brackets
  std::uint16_t port = 0;

  // For messages: "collector udp://[::1]:4739".
  std::string name() const;
};

// Without a port: 4739 (RFC 7011, section 10.3.4) or, of NetFlow v9, 2055. Throws Error (usage) with what was wrong;
// NetFlow v9 has no TCP.
CollectorAddress parse_collector(const std::string& text, ExportProtocol protocol = ExportProtocol::ipfix);

inline constexpr std::uint32_t kSmallestMtu = 512, kLargestMtu = 65'535;

struct CollectorOptions {
  CollectorAddress address;
  ExportProtocol protocol = ExportProtocol::ipfix;

  // UDP: the largest IP packet; Templates again after this time or so many messages, whichever comes first (collectors
  // forget them after 30 minutes, RFC 7011 section 8.4, and one started late waits for them); records a second, 0 = no
  // limit.
  std::size_t mtu = 1500;
  std::chrono::milliseconds template_refresh = std::chrono::seconds(60);
  std::uint64_t template_refresh_messages = 256;
  std::uint64_t records_per_second = 100'000;

  // TCP: bytes of messages that wait in memory (at least one message does), and how long a collector is waited for that
  // takes nothing, or does not close its side at the end.
  std::size_t buffer = 64 << 20;
  std::chrono::milliseconds timeout = std::chrono::seconds(30);

  bool statistics =
      false;  // of Metering and Exporting Process, as Options Records: CollectorWriter::write_statistics()

  // Both may be empty, and are called from the thread that sends. `interrupted`: the user wants to finish, so a
  // collector that does not answer is not waited for, and what goes to one over UDP has a limit. `warn`: one line for
  // the user, at once, about what may pass again. Once `*gives_up` is true, which may be null, nothing more goes over
  // UDP.
  std::function<bool()> interrupted;
  const std::atomic<bool>* gives_up = nullptr;
  std::function<void(const std::string&)> warn;
};

}  // namespace warpmeter::inline record
