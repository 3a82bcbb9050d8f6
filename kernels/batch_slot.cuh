// The device memory of one batch in flight, and the workspace that batches use in turn.
#pragma once

#include "batch_counts.cuh"
#include "batch_view.cuh"
#include "core/device_meter.h"
#include "core/packed_segment.h"
#include "core/segment_sum.h"
#include "device_memory.cuh"
#include "device_output.cuh"
#include "device_plan.h"
#include "flow_table.cuh"
#include "unpack_segments.cuh"

namespace warpmeter {

// Points in time on the device's queues: between each and the next lies one stage. Method exact clears no segments.
enum class Point { copy_begin, copy_end, begin, segments_cleared, flows_found, segments_found, end };
inline constexpr int kPoints = 7;

// A column of the batch behind the last `before` elements of earlier ones.
template <class Device, class T>
struct Column {
  Column() = default;
  Column(Device& device, std::uint32_t before, std::uint32_t batch) : memory(device, before + batch), begin(before) {}
  T* data() const { return memory.data() + begin; }

  DeviceArray<Device, T> memory;
  std::uint32_t begin = 0;
};

template <class Device>
struct BatchSlotOnDevice {
  BatchSlotOnDevice() = default;
  BatchSlotOnDevice(Device& device, std::uint32_t before_, std::uint32_t batch, std::uint32_t idle)
      : most_words(std::size_t{batch} * kMostPackedWords),
        as_it_comes(device, most_words + std::size_t{batch} * (sizeof(PackedSegment) / sizeof(std::uint64_t))),
        key(device, before_, batch),
        hash(device, before_, batch),
        segment(device, before_, batch),
        number(device, before_, batch),
        leaving(device, std::size_t{batch} + idle),
        overflow(device, batch),
        watermark_ns(device, 1),
        host_counts(device),
        host_watermark_ns(device) {}

  BatchColumns columns() const { return {key.data(), hash.data(), segment.data(), number.data()}; }
  // Behind its last segment.
  BatchColumns columns_end() const {
    return {key.data() + count, hash.data() + count, segment.data() + count, number.data() + count};
  }

  // Words of segments lie before these (PackedBatch).
  std::uint64_t* words_end() const { return as_it_comes.data() + most_words; }
  PackedSegment* packed() const { return reinterpret_cast<PackedSegment*>(words_end()); }

  std::size_t most_words = 0;
  DeviceArray<Device, std::uint64_t> as_it_comes;

  Column<Device, FlowKey> key;
  Column<Device, std::uint64_t> hash;
  Column<Device, Segment> segment;
  Column<Device, std::uint64_t> number;
  DeviceArray<Device, DeviceOutput> leaving;
  DeviceArray<Device, OverflowSegment> overflow;
  DeviceArray<Device, std::int64_t> watermark_ns;

  std::uint32_t count = 0;
  FlowRoom room{};  // when the batch was through
  std::uint32_t before = 0;
  std::uint64_t first_number = 0;
  std::uint64_t block = 0;  // memory block
  bool expires = false;     // the flows leave that are idle at `watermark_ns`
  bool timed = false;       // all points are recorded; else those alone that others wait for

  typename Device::template HostValue<BatchCounts> host_counts;
  typename Device::template HostValue<std::int64_t> host_watermark_ns;
  typename Device::Event points[kPoints];
};

// Room for the sum of a piece, whatever the method.
union PieceMemory {
  PieceMemory() {}
  SegmentSum<InOrderNumbers> in_order;
  SegmentSum<NearNumbers> near;
};

// Scratch memory of the compute queue.
template <class Device>
struct Workspace {
  Workspace() = default;
  Workspace(Device& device, std::uint32_t before, std::uint32_t batch, std::uint32_t piece_size)
      : segment_slot(device, batch),
        slot_of(device, batch),
        new_flow(device, batch),
        mark(device, batch),
        run(device, batch),
        piece(device, batch / piece_size) {
    for (auto* pair : {&key, &position}) {
      for (auto& array : *pair)
        array = DeviceArray<Device, std::uint32_t>(device, std::size_t{before} + 2 * std::size_t{batch});
    }
  }

  DeviceArray<Device, std::uint32_t> segment_slot, slot_of, new_flow;
  DeviceArray<Device, std::uint8_t> mark;
  DeviceArray<Device, std::uint32_t> run;
  DeviceArray<Device, PieceMemory> piece;
  // Before and after the sort (unpack_segments.cuh). The keys before it begin with the flow ids of the batch.
  DeviceArray<Device, std::uint32_t> key[2], position[2];
};

}  // namespace warpmeter
