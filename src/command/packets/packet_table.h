// The table of packets: a row a packet, with its verdict, as CSV, JSON lines, Parquet or an Arrow file.
//
// Threads: sections by any, each by one at a time; the rest by one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/files/output_file.h"
#include "command/packets/packet_verdict.h"
#include "core/segment.h"
#include "core/verdict.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::inline command {

enum class TableForm : std::uint8_t { csv, json, parquet, arrow };

// What is told of a packet. `number`: of its frame.
struct PacketRow {
  const FlowKey& key;
  const Segment& segment;
  const JudgedPacket& judged;
  std::uint64_t number;
  PacketVerdict verdict;
};

class PacketTable {
 public:
  // Consecutive rows, encoded as far as they can be without those before.
  class Section {
   public:
    virtual ~Section() = default;
    // REQUIRES: it is empty.
    virtual void put(std::span<const PacketRow> rows) = 0;
  };

  virtual ~PacketTable() = default;
  // From any thread. It must not outlive the table.
  virtual std::unique_ptr<Section> new_section() const = 0;

  // Once, before the first append().
  virtual void begin() {}
  // Writes the rows of a section, and leaves it empty. Sections come in the order of their rows. Throws Error.
  virtual void append(Section& section) = 0;
  // Once, last.
  virtual void end() {}
};

// `key_vlan`: the VLAN id is part of the Flow Key, and has a column. `threads` may encode. The file must outlive the
// table. Throws Error where Parquet cannot be had.
std::unique_ptr<PacketTable> make_packet_table(TableForm form, bool key_vlan, OutputFile& file, unsigned threads);

}  // namespace warpmeter::inline command
