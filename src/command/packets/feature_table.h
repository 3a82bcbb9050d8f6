// Features of flows as a table: a row a flow, its Flow Key and times first, by the names of Flow Records, then
// features, by the names of nfstream and CICFlowMeter (docs/packets.md). To a file of the forms of packet_table.h, or
// for a program that takes rows.
//
// Threads: one, which starts others.
#pragma once

#include <cstdint>

#include "base/files/output_file.h"
#include "command/packets/flow_features.h"
#include "command/packets/packet_table.h"
#include "core/counters.h"
#include "packet/decode/decoder.h"
#include "packet/file/packet_source.h"
#include "pipeline/batches/stage_clock.h"

namespace warpmeter::inline command {

// All packets of the source, each to its flow. Uses so many threads. Throws what any of them throws.
DecodeCounters add_packets(TraceSource& trace, const Decoder& decoder, StageClock& clock, unsigned threads,
                           FlowFeatures& features);

// Writes all rows. `key_vlan`: the VLAN id is part of the Flow Key, and has a column. `threads` encode. Throws Error.
void write_features(const FlowFeatures& features, bool key_vlan, TableForm form, OutputFile& file, unsigned threads);
void write_features(const FlowFeatures& features, bool key_vlan, const RowsTaker& taker, unsigned threads);

}  // namespace warpmeter::inline command
