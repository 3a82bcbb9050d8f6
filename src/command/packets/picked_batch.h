// A batch of frames on its way through `packets`: those that are wanted, as records of the output.
//
// Threads: as OrderedBatches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "command/packets/flow_selection.h"
#include "core/segment_batch.h"
#include "packet/file/interface_list.h"
#include "packet/write/capture_writer.h"
#include "packet/write/packet_records.h"
#include "pipeline/batches/decoded_batch.h"
#include "warpmeter/frame.h"

namespace warpmeter::inline command {

// Which frames all batches take. What is referred to must outlive them.
struct PickRules {
  const Decoder& decoder;
  StageClock& clock;
  const FlowSelection* selection = nullptr;  // null: all that the filter takes
  const PacketFilter* filter = nullptr;      // null: all
  CaptureForm form = CaptureForm::pcapng;
  InterfaceList& interfaces;
  std::uint32_t frames;       // that a batch has, about
  bool headers_only = false;  // of what is taken
};

class PickedBatch {
 public:
  explicit PickedBatch(const PickRules& rules);

  void begin();
  void add(const FrameBlock& block);
  void finish(std::uint64_t first_number);

  const DecodeCounters& counters() const { return decoded_.counters; }

  // Writes the frames that are wanted, and flushes. Returns how many.
  std::uint64_t write(CaptureWriter& writer);
  // Of these, those with another time in the capture (can_tell()).
  std::uint64_t changed_times() const;

 private:
  struct Picked {
    Frame frame;  // its point is the number of an interface
    std::uint32_t place;
  };
  // A frame whose number tells whether it is wanted: it is, if one of its packets is in one of these.
  struct Doubt {
    std::size_t picked;
    std::span<const PacketRange> ranges;
  };

  void take_all(const FrameBlock& block);
  void take_selected(const FrameBlock& block);
  void take(const Frame& frame, std::uint32_t place, std::span<const PacketRange> ranges);
  void pick(const Frame& frame, std::uint32_t place);
  void add_record(const Frame& frame, std::uint32_t place);
  bool leave_out(std::uint64_t first_number);

  const PickRules rules_;
  LeasedBatch<SegmentBatch> decoded_;
  FrameInterfaces interfaces_;
  std::uint32_t frames_ = 0, segments_ = 0;  // that were looked at
  std::vector<Picked> picked_;
  std::vector<Doubt> doubts_;  // those of a frame side by side
  PacketRecords records_;      // of what is picked
};

}  // namespace warpmeter::inline command
