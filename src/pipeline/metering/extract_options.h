// What the user asked of `warpmeter extract`, parsed and with defaults filled in.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/device_meter.h"
#include "core/flow_sample.h"
#include "core/options.h"
#include "packet/segments/segment_sets.h"
#include "pipeline/metering/command_options.h"
#include "policy/rounds/rounds_options.h"
#include "record/write/output_options.h"

namespace warpmeter::inline pipeline {

enum class Backend { automatic, cpu, cuda };

struct ExtractOptions : CommandOptions {
  std::optional<PartitionChoice> partition;  // of segment files; nothing: all that are given
  OutputOptions output;
  Backend backend = Backend::automatic;
  MeterOptions meter;
  bool aggregate = false;
  bool biflow = false;
  bool key_vlan = false;
  RoundsOptions policy;     // which packets are metered, and what is noted of their flows
  std::uint32_t annex = 0;  // a bit for each AnnexField that Flow Records are to have
  bool asks_frames() const { return policy.policy || annex; }  // beyond what segments tell
  FlowSample sample;                                           // which flows are metered
  std::uint32_t rarest_sample = 0;  // of a live capture: it may become so rare as metering asks for it; 0: it stays
  std::uint32_t batch = 0;          // frames a batch; 0 = what suits the backend
  std::vector<int> gpus = {0};      // numbers of the GPUs, as CUDA counts them, each once; none = all that work
  std::uint64_t gpu_memory = 0;     // bytes of each to use; 0 = most of what is free
  bool gpu_named = false;           // by numbers or memory: --backend automatic takes one however little comes
  std::uint64_t memory = 0;         // bytes: flow states and partials
  std::int64_t expire_every_ns =
      0;  // idle flows leave so often, by the time that the source says has passed; 0 = for want of memory
  std::int64_t batch_deadline_ns = 0;  // of a source that waits for packets: a batch for a GPU goes there at most so
                                       // long after it was begun; 0 = full
  std::uint64_t run_memory =
      0;  // bytes of partials in memory before a run is written; 0 = a quarter of memory, at most 16 MiB
  std::string tmpdir;
  bool is_tmpdir_chosen = false;  // the user has named it
  // Told why Flow Records found no room there, from any thread: they stay in memory then. Empty: the run fails.
  std::function<void(const std::string& why)> no_room_in_tmpdir = {};
  bool progress = true;  // a line on the terminal tells how far reading is, if not quiet
  bool verbose = false;
  bool stages = false;

  // Each thread of metering calls it with its number, from 0 on, before all else. Empty: nothing.
  std::function<void(unsigned thread)> begin_thread = {};

  // Makes a device that --backend cuda means, called once for each of `gpus`; a CUDA device if empty. Tests put others
  // in their place.
  std::function<std::unique_ptr<DeviceMeter>(const DeviceMeterOptions&)> make_device;
};

inline constexpr std::uint32_t kDefaultBatch = 4096;           // stays in a core's cache
inline constexpr std::uint32_t kDefaultPolicyBatch = 1024;     // so does what its packets carry
inline constexpr std::uint32_t kDefaultDeviceBatch = 1 << 17;  // 6 MiB; a GPU takes as long for fewer
inline constexpr std::uint32_t kLargestBatch = 1 << 22;

// All files that the run was told to write, some of which may be "" or "-".
std::vector<std::string> outputs_of(const ExtractOptions& run);

// Half of the memory that this process may use: of the machine's, or of its control group's.
std::uint64_t default_memory();

}  // namespace warpmeter::inline pipeline
