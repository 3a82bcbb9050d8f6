// Which way packets come from an interface into the rings of a capture.
#pragma once

namespace warpmeter::inline command {

enum class RingKind {
  automatic,  // AF_XDP where it works and takes nothing from the host, else AF_PACKET
  xdp,
  packet,
  pcap,
};

}  // namespace warpmeter::inline command
