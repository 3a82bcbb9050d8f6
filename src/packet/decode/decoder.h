// Decoding: a block of frames in, a batch of segments out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/annex.h"
#include "core/counters.h"
#include "core/flow_sample.h"
#include "core/packed_batch.h"
#include "core/packet_batch.h"
#include "core/payload_batch.h"
#include "core/policy_batch.h"
#include "core/segment_batch.h"
#include "core/tunnel_ports.h"
#include "packet/decode/tunnel.h"
#include "warpmeter/frame.h"

namespace warpmeter::inline packet {

class PacketFilter;
struct IpPlace;

struct DecodeOptions {
  bool key_vlan = false;                 // the outermost VLAN id belongs to the Flow Key
  bool decapsulate = false;              // the innermost packet of a tunnel counts, not the outermost
  const PacketFilter* filter = nullptr;  // which frames count; null = all. Must outlive the Decoder
  TunnelPorts tunnel_ports = {};         // by which tunnels over UDP are known
  FlowSample sample = {};                // which flows count
};

// Where a frame stands.
struct PlaceInBlock {
  std::uint32_t number;       // in the batch
  std::size_t frames_behind;  // in its block
};

// Immutable after construction: any number of threads may decode with one Decoder.
class Decoder {
 public:
  // `hash_seed`: see flow_hash.h.
  Decoder(const DecodeOptions& options, const HashSeed& hash_seed)
      : options_(options), hash_seed_(hash_seed), tunnel_kinds_(options.tunnel_ports) {}

  // Fills `batch` with the segments of `block`.
  void decode(const FrameBlock& block, SegmentBatch& batch, DecodeCounters& counters) const {
    batch.reset(block.first_number);
    append(block, batch, counters);
  }

  // Adds the segments of `block`, behind what was decoded into `batch` before: those of its frames, or those that it
  // has. Most frames are one packet, and none has more segments than IP headers fit in it; all of a frame have its
  // number.
  void append(const FrameBlock& block, SegmentBatch& batch, DecodeCounters& counters) const {
    append(block, std::span(&batch, 1), counters);
  }

  // The same for several batches that share the segments by their shards, or for one.
  void append(const FrameBlock& block, std::span<SegmentBatch> batches, DecodeCounters& counters) const;
  void append(const FrameBlock& block, std::span<PackedBatch> batches, DecodeCounters& counters) const;

  // With the payload of TCP segments too, if the batch has_payload(), which stays as long as the frames. REQUIRES: the
  // block has frames.
  void append(const FrameBlock& block, PacketBatch& batch, DecodeCounters& counters) const;

  // All packets with their payload, which stays as long as the frames. REQUIRES: one batch; the block has frames.
  void append(const FrameBlock& block, std::span<PolicyBatch> batches, DecodeCounters& counters) const;

  // TCP segments alone, with their payload, which stays as long as the frames. REQUIRES: one batch; the block has
  // frames.
  void append(const FrameBlock& block, std::span<PayloadBatch> batches, DecodeCounters& counters) const;

  // Bytes of a frame up to the end of the transport header of its packet, or the last one of those that count: what
  // metering needs of TCP. Of a frame without IP, all that was captured; where the IP header cannot be read, that.
  std::uint32_t bytes_of_headers(const Frame& frame) const;

  // What a packet of `frame` with this key tells, `before` others of which stand before it there. REQUIRES: a segment
  // was made of it by a Decoder with the same options.
  Annex annex_of(const Frame& frame, const FlowKey& key, std::size_t before) const;

 private:
  bool note_plain(const Frame& frame, Annex& annex) const;
  template <class Batch>
  void append_to(std::span<Batch> batches, const FrameBlock& block, DecodeCounters& counters) const;
  template <class Batch>
  std::size_t append_plain(const FrameBlock& block, std::size_t begin, std::size_t end, std::uint32_t first,
                           std::span<Batch> batches, DecodeCounters& counters) const;
  template <bool kSampling, class Batch>
  std::size_t append_row(const FrameBlock& block, std::size_t begin, std::size_t end, std::uint32_t first,
                         std::span<Batch> batches, DecodeCounters& counters) const;
  bool is_filtered_out(const Frame& frame) const;
  template <class Batch>
  [[gnu::noinline]] void append_any(const Frame& frame, const PlaceInBlock& at, std::span<Batch> batches,
                                    DecodeCounters& counters) const;
  template <class Batch>
  [[gnu::noinline]] void append_several(const Frame& frame, const IpPlace& place, const PlaceInBlock& at,
                                        std::span<Batch> batches, DecodeCounters& counters) const;

  const DecodeOptions options_;
  const HashSeed hash_seed_;
  const TunnelKinds tunnel_kinds_;
};

}  // namespace warpmeter::inline packet
