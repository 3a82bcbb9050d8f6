// `warpmeter coalesce INPUT... -o OUT`: captures to one in which runs of TCP packets are super-packets, or to a table
// of what that would save.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "packet/write/packet_records.h"
#include "pipeline/metering/command_options.h"
#include "stream/coalescing/coalescer.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {

// What the user asked of it, parsed and with defaults filled in.
struct CoalesceOptions : CommandOptions {
  std::string output = "-";  // standard output
  CaptureForm form = CaptureForm::pcapng;
  CoalescerOptions coalescing;     // but for what follows from memory
  bool verify = true;              // packets with wrong checksums pass
  std::uint64_t memory = 1 << 30;  // bytes
  bool dry_run = false;            // a table in place of an output
};

// Once `interrupted` is true, reading ends, and the output holds what was read. Throws Error; then there is none, but
// for what has gone into a pipe.
ExitStatus coalesce(const CoalesceOptions& options, const std::atomic<bool>& interrupted);

}  // namespace warpmeter::inline command
