// The Metering Process on a device that takes whole batches of segments, such as a GPU: the face that the pipeline
// sees. Implemented by the engine in kernels/engine.cuh.
//
// Threads: submit() by one thread, collect() by one other, in the same order of batches; everything else when neither
// is running. Errors: every call throws DeviceError if the device fails or its memory does not suffice; after that the
// object can only be destroyed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/flow_on_cpu.h"
#include "core/options.h"
#include "core/packed_batch.h"
#include "core/partial.h"
#include "warpmeter/status.h"

namespace warpmeter {

class DeviceError : public Error {
 public:
  using Error::Error;
};

struct DeviceMeterOptions {
  MeterOptions meter;              // five_tuple.block 0: as large as the memory allows
  std::uint32_t batch = 0;         // most packets of a batch
  HashSeed hash_seed;              // of Flow Keys and identities
  std::uint64_t memory = 0;        // bytes of device memory to use; 0 = most of what is free
  std::uint64_t most_packets = 0;  // expected of all batches together: tables need room for no more; 0 = unknown
  std::uint32_t flows = 0;         // live flows that the flow table takes; 0 = what the memory allows
  std::uint32_t hole_units = 0;    // method exact: memory for holes, in units of 64 bytes, a power of two; 0 = what the
                                   // memory allows
  unsigned tile = 4;               // lanes a segment in the insert kernels, lanes a flow in the metering kernel
  std::uint32_t piece = 256;       // segments of one flow that are summed beforehand; a power of two
};

// The stages of the source paper that run on the device (its Fig. 12).
enum class DeviceStage { copy_in, insert_segments, insert_flows, copy_out, clear_segments, clear_flows };
inline constexpr int kDeviceStages = 6;
inline constexpr std::array<const char*, kDeviceStages> kDeviceStageNames = {
    "copy in", "insert segments", "insert flows", "copy out", "clear segments", "clear flows"};

class DeviceMeter {
 public:
  // What came of a batch.
  struct Result {
    std::vector<Partial> finished;         // flows that ended within it, or were idle
    std::vector<CpuTakeover> handed_over;  // flows that the CPU has to take over from here on
    std::vector<std::uint32_t> overflow;   // positions of segments that the CPU has to meter, ascending: of flows
                                           // that it took over, and of keys that found no room
    std::vector<std::uint8_t> duplicate;   // for each of these: is it a duplicate?
    std::uint32_t idle_left = 0;           // idle flows that found no room among those that are finished
    std::uint32_t jumps = 0;               // MeterCounters::jumps of this batch
  };

  virtual ~DeviceMeter() = default;

  virtual std::string name() const = 0;
  virtual std::string remark() const { return {}; }  // what users should know of how it works, if anything
  virtual std::uint64_t block() const = 0;           // packets in a memory block

  // Memory that the device copies from fast; for the batches.
  virtual std::pmr::memory_resource& batch_memory() = 0;

  // So many batches may be submitted and not yet collected.
  static constexpr unsigned kMostInFlight = 2;

  // Starts copying and metering a batch, of at most DeviceMeterOptions::batch segments. Batches come in trace order,
  // and none spans two memory blocks. The columns must stay as they are until collect() has given the result. REQUIRES:
  // fewer than kMostInFlight are in flight.
  virtual void submit(const SegmentSpan& batch) = 0;

  // Starts to let the flows go that are idle at this time, as a batch without segments: collect() gives them, or says
  // that some are left, to be asked for again. Under method five-tuple those of the present memory block and the one
  // before stay. REQUIRES: as submit(); all packets before this time have been submitted.
  virtual void expire(std::int64_t watermark_ns) = 0;

  // Waits for the next submitted batch. REQUIRES: one was submitted that was not yet collected.
  virtual void collect(Result& result) = 0;

  // Waits until the device touches no batch any more. To be called before batches that were not collected go away.
  virtual void finish() noexcept {}

  // A device without room refuses new Flow Keys, as flows of theirs may live on the CPU by then. Once there is room
  // again for some number of flows, this is the number; otherwise 0. To be asked by the one who submits.
  virtual std::uint32_t room_again() { return 0; }
  // Takes new keys again, but for those of the flows that live on the CPU: these stay there. REQUIRES: room_again()
  // gave a number that is not smaller than these are; all batches are collected and metered.
  virtual void take_again(std::span<const FlowOnCpu>) {}

  // The rest when all batches are collected. latest_ns(): latest packet time on the device, INT64_MIN if none.
  virtual std::int64_t latest_ns() = 0;
  // Ends some of the flows that still live, at most kMostDrained, with `trace_end_ns` the latest packet time of the
  // whole trace. False when there were no more.
  static constexpr std::uint32_t kMostDrained = 1 << 14;
  virtual bool drain(std::int64_t trace_end_ns, std::vector<Partial>& ended) = 0;

  virtual std::uint64_t flows() = 0;                                    // most that lived at once
  virtual std::array<double, kDeviceStages> stage_seconds() const = 0;  // on the device's clock
};

// The GPU number `gpu`. Throws DeviceError if it cannot be used. Defined in kernels/, where the build has CUDA.
std::unique_ptr<DeviceMeter> make_cuda_meter(int gpu, const DeviceMeterOptions& options);

// The GPUs of this machine, as the CUDA runtime lists them. Defined in kernels/, where the build has CUDA.
struct Gpu {
  std::string name;
  int major;  // compute capability
  int minor;
  std::size_t memory;  // bytes
};

struct GpuList {
  std::vector<Gpu> gpus;
  std::string error;  // why the list is empty
};

// In the driver's and the runtime's words a machine without a driver has one that is too old. Their versions tell more:
// 12040 is 12.4, 0 is none. Nothing if the driver is there, and new enough.
inline std::optional<std::string> why_no_driver(int driver, int runtime) {
  const auto name = [](int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
  };
  if (driver == 0) return "no NVIDIA driver";
  if (driver / 1000 >= runtime / 1000) return std::nullopt;
  return "the NVIDIA driver is too old: it is for CUDA " + name(driver) + ", this build needs " + name(runtime);
}

// Never throws; a missing driver is an empty list with an error.
GpuList list_gpus();

}  // namespace warpmeter
