// A batch of frames on its way through `coalesce`: what of it passes untouched is made for the output at once, what may
// be joined is listed by the group that will look at it.
//
// Threads: as OrderedBatches; each group appends to its own part of a PendingBatch.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/counters.h"
#include "core/hash_seed.h"
#include "core/unwritten_vector.h"
#include "packet/decode/packet_filter.h"
#include "packet/file/interface_list.h"
#include "packet/write/capture_writer.h"
#include "packet/write/packet_records.h"
#include "stream/coalescing/coalescing_packet.h"
#include "warpmeter/frame.h"

namespace warpmeter::inline command {

// What the bytes of a batch's frames lie in, for as long as anybody needs it.
using FrameLeases = std::shared_ptr<const std::vector<Lease>>;

// What a batch gives to the output: packets that pass, and what groups add, each at the place of one of its packets.
struct PendingBatch {
  struct OfGroup {
    PacketRecords records;            // by their places in the batch, in any order but for those of one place
    std::vector<FrameLeases> leases;  // of the frames that these need: of this batch, of the one before it, ...
    std::uint64_t leased_from = 0;    // number of the first packet of those

    void keep() {
      records.keep();
      leases.clear();
    }
  };
  std::uint64_t first = 0, last = 0;  // numbers of its packets: first .. last-1
  FrameLeases leases;                 // of the frames that `passed` needs
  PacketRecords passed;
  std::vector<OfGroup> groups;

  void keep_passed() {
    passed.keep();
    leases.reset();
  }
  // It is written.
  void let_go() {
    passed = {};
    leases.reset();
    groups.clear();
  }
};

// How frames are looked at, by all batches. What is referred to must outlive them.
struct FrameRules {
  bool verify = true;
  const PacketFilter* filter = nullptr;  // null: all frames
  HashSeed seed = {};
  CaptureForm form = CaptureForm::pcapng;
  unsigned groups = 1;
  InterfaceList* interfaces = nullptr;  // null: nothing is written
};

class CoalescingBatch {
 public:
  explicit CoalescingBatch(const FrameRules& rules);

  void begin();
  void add(const FrameBlock& block);
  void finish(std::uint64_t first_number);

  std::uint64_t first_number() const { return first_number_; }
  std::uint64_t passed_bytes() const { return bytes_; }  // that the trace goes on for
  const DecodeCounters& counters() const { return counters_; }
  const std::array<std::uint64_t, kPassReasons>& passes() const { return passes_; }

  // Which packets are those of a group, in their order.
  std::span<const std::uint32_t> of_group(unsigned group) const {
    return {listed_.data() + group_begin_[group], listed_.data() + group_begin_[group + 1]};
  }
  const CoalescingPacket& packet(std::uint32_t i) const { return packets_[i]; }
  // Null: nothing is written, or there are no packets. A group has settled what is before a batch, and that would be
  // all of an empty one, which the output could write while the group still comes to it.
  const std::shared_ptr<PendingBatch>& pending() const { return pending_; }
  const FrameLeases& leases() const { return shared_leases_; }

 private:
  bool add(const Frame& frame, CoalescingPacket& packet);
  void list_by_group();

  const FrameRules* const rules_;
  FrameInterfaces interfaces_;
  std::vector<Lease> leases_;  // until finish()
  FrameLeases shared_leases_;
  UnwrittenVector<CoalescingPacket> packets_;  // that belong to a direction
  std::vector<std::uint32_t> listed_, group_begin_;
  std::uint64_t first_number_ = 1, bytes_ = 0;
  std::uint32_t frames_ = 0;
  DecodeCounters counters_;
  std::array<std::uint64_t, kPassReasons> passes_ = {};
  PacketRecords passed_;  // has room for those of any batch, which what is pending has not
  std::shared_ptr<PendingBatch> pending_;
};

}  // namespace warpmeter::inline command
