// A batch as the kernels see it: packets of a trace in columns, behind those of the packets just before it, and the
// columns that the kernels fill, full of rubbish. Every column has exactly its size, so that a sanitizer sees one
// element too far.
#pragma once

#include <cstdint>
#include <vector>

#include "batch_view.cuh"

namespace warpmeter::test {

struct Packet {
  FlowKey key;
  std::uint64_t hash = 0;
  Segment segment;
  std::uint64_t number = 0;  // rising from packet to packet
};

class DeviceBatch {
 public:
  // Packets begin .. end-1, and the last `before` of those in front of them.
  DeviceBatch(const std::vector<Packet>& packets, std::size_t begin, std::size_t end, std::uint32_t before,
              std::uint32_t no_flow)
      : flow(end - begin, kRubbish),
        segment_slot(end - begin, kRubbish),
        slot_of(end - begin, kRubbish),
        new_flow(end - begin, kRubbish),
        mark(end - begin, 0xa5),
        before_(before),
        no_flow_(no_flow) {
    reserve(before + end - begin);
    for (std::size_t i = begin - before; i < end; ++i) {
      key_.push_back(packets[i].key);
      hash_.push_back(packets[i].hash);
      segment_.push_back(packets[i].segment);
      number_.push_back(packets[i].number);
    }
  }

  std::uint32_t count() const { return static_cast<std::uint32_t>(flow.size()); }

  // `in_block`: segments of the memory block in batches before.
  BatchView view(std::uint64_t in_block = 0) {
    return {key_.data() + before_,
            hash_.data() + before_,
            segment_.data() + before_,
            number_.data() + before_,
            count(),
            before_,
            in_block,
            flow.data(),
            segment_slot.data(),
            mark.data(),
            no_flow_};
  }

  // Filled by kernels, or by a test in their place.
  std::vector<std::uint32_t> flow, segment_slot, slot_of, new_flow;
  std::vector<std::uint8_t> mark;

 private:
  static constexpr std::uint32_t kRubbish = 0xa5a5a5a5;

  void reserve(std::size_t count) {
    key_.reserve(count);
    hash_.reserve(count);
    segment_.reserve(count);
    number_.reserve(count);
  }

  std::vector<FlowKey> key_;
  std::vector<std::uint64_t> hash_;
  std::vector<Segment> segment_;
  std::vector<std::uint64_t> number_;
  const std::uint32_t before_;
  const std::uint32_t no_flow_;
};

}  // namespace warpmeter::test
