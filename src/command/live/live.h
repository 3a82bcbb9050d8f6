// `warpmeter live`: packets of network interfaces, or of a folder that grows, to Flow Records, until it is told to
// stop.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/metrics/metrics_address.h"
#include "base/program/interrupt.h"
#include "packet/nic/cpus/affinity.h"
#include "packet/nic/ring/packet_ring.h"
#include "pipeline/metering/extract_options.h"
#include "stream/reassembly/reassembler_options.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {

// Which way packets come from an interface into the rings of a capture.
enum class RingKind {
  automatic,  // AF_XDP where it works and takes nothing from the host, else AF_PACKET
  xdp,
  packet,
  pcap,
};

// What a detector beside the capture gets of its TCP streams.
struct DetectorOptions {
  std::string socket;              // path of the Unix socket that it listens at; empty: there is none
  ReassemblerOptions streams;      // memory: of all connections
  std::uint64_t queue = 64 << 20;  // bytes of records that may wait for it
};

// What a capture does besides capturing (live_service.h).
struct ServiceOptions {
  std::optional<MetricsAddress> metrics;
  std::chrono::nanoseconds drain_timeout = std::chrono::seconds(30);  // from the end of the capture to that of all
  std::chrono::nanoseconds statistics{0};   // so often the collector gets statistics, and at the end; 0 = never
  const ServiceSignals* signals = nullptr;  // not owned; null: none are looked at
  bool rotates = false;                     // a SIGHUP closes files
  bool status_line = false;                 // if standard error is a terminal
  bool quiet = false;
};

// What the user asked of it, these parts too, parsed and with defaults filled in.
struct LiveOptions {
  ExtractOptions extract;               // all of a run that is not its inputs
  std::vector<std::string> interfaces;  // or the one word "folder:PATH" (live_source.h)
  RingKind kind = RingKind::automatic;
  PacketRingOptions ring;
  Affinity affinity = {};                // of threads, their rings and, with the next, interrupts of queues
  bool interface_columns = false;        // where flows were observed, in text and typed columns
  bool set_irq_affinity = false;         // put back at the end
  unsigned rings = 0;                    // of each interface; 0: as many as AF_XDP needs, one of any other kind
  bool thread_a_ring = true;             // else as many as extract.threads says
  std::chrono::nanoseconds duration{0};  // 0 = until `stop`
  std::string state;                     // of a folder: how far it came; empty = none
  bool delete_after = false;             // files of a folder, once the state knows of them
  ServiceOptions service;
  DetectorOptions detector;   // that gets TCP streams
  std::string policy_socket;  // path of the Unix socket where the policy is changed; empty: there is none
  std::string policy_file;    // of extract.policy, to be read again; empty: there is none
  std::chrono::nanoseconds max_latency = std::chrono::seconds(1);  // from a flow's end to its Flow Record
};

// Meters until `stop` or for the duration. Flow Records leave as they end, where there is a collector, a pipe or
// --rotate TIME for them; else, and with --biflow or --aggregate, all are exported then. What is wrong with outputs,
// rights or interfaces is thrown as Error before anything is captured. Status `damaged` if an interface disappeared.
ExitStatus live(const LiveOptions& options, const std::atomic<bool>& stop);

}  // namespace warpmeter::inline command
