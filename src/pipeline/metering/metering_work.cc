#include "pipeline/metering/metering_work.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/files/temp_file.h"
#include "base/program/messages.h"
#include "base/words/human_units.h"
#include "core/biflow_key.h"
#include "core/seeded_hash.h"
#include "packet/file/inputs.h"
#include "pipeline/metering/cpu_metering.h"
#include "pipeline/metering/device_metering.h"
#include "pipeline/metering/progress.h"
#include "warpmeter/status.h"

namespace warpmeter::inline pipeline {
namespace {

// What of --memory finished partials may take before they go to a run file; the rest is for flow states.
constexpr std::uint64_t kRunShare = 4;
// Keeps memory flat however long the trace. Measured with 3.3 M flows of two packets: 64 and 256 MiB are no faster
// beyond what chance does.
constexpr std::uint64_t kMostRunMemory = 16 << 20;

// Under method five-tuple, what of the memory for flow states goes to the segment tables instead, and what a packet of
// a memory block may cost there: two blocks, each entry with its Flow Key, tables half empty.
constexpr std::uint64_t kSegmentTableShare = 2;
constexpr std::uint64_t kBytesPerBlockPacket = 160;

// With a policy, what of the memory for flow states goes to streams and to what groups keep of connections instead.
constexpr std::uint64_t kPolicyShare = 2;

// As of a capture. 0 if unknown: of pipes, and of files that are compressed.
std::uint64_t unpacked_bytes(const PacketSource& source) {
  constexpr std::uint64_t kCutPacket = 16 + 96;  // of a pcap file that has the headers of packets
  if (source.packets_in_all() > 0) return source.packets_in_all() * kCutPacket;
  const bool is_packed = source.own_threads() > 0;
  return is_packed ? 0 : source.bytes_in_all();
}

// What is made ready for packets that never come takes time: on a GPU, seconds for one small file. Files that grow
// while they are read may have more packets than this, which are metered all the same.
std::uint64_t most_packets(const PacketSource& source) {
  if (source.packets_in_all() > 0) return source.packets_in_all();
  constexpr std::uint64_t kRecordBytes = 16 + 40;  // of a pcap record with no more than headers of IP and TCP
  const std::uint64_t bytes = unpacked_bytes(source);
  return bytes == 0 ? 0 : bytes / kRecordBytes + 1;
}

std::uint32_t batch_of(const ExtractOptions& o, bool on_device, std::uint64_t most) {
  if (o.batch) return o.batch;
  if (o.policy.policy) return kDefaultPolicyBatch;
  if (!on_device) return kDefaultBatch;
  if (most == 0) return kDefaultDeviceBatch;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(most, kDefaultBatch, kDefaultDeviceBatch));
}

MeteringOptions metering_options(const ExtractOptions& o, const PacketFilter* filter, bool on_device,
                                 std::uint64_t most) {
  MeteringOptions m{o.meter,
                    o.threads,
                    batch_of(o, on_device, most),
                    most,
                    {o.key_vlan, o.decapsulate, filter, o.tunnel_ports, o.sample},
                    o.expire_every_ns,
                    o.batch_deadline_ns,
                    o.tmpdir,
                    o.begin_thread,
                    o.policy,
                    o.annex != 0};
  m.meter.flow_memory = o.memory - o.memory / kRunShare;
  if (o.policy.policy) {
    m.policy.memory = m.meter.flow_memory / kPolicyShare;
    m.meter.flow_memory -= m.policy.memory;
  }
  if (o.meter.method == Method::five_tuple) {
    const std::uint64_t for_segments = m.meter.flow_memory / kSegmentTableShare;
    m.meter.flow_memory -= for_segments;
    std::uint64_t& block = m.meter.five_tuple.block;
    if (!block && !on_device) block = std::clamp<std::uint64_t>(for_segments / kBytesPerBlockPacket, 1, kLargestBlock);
  }
  return m;
}

std::unique_ptr<MeteringProcess> make_metering(const ExtractOptions& options, const PacketFilter* filter,
                                               bool on_device, PacketSource& source, RunStore& runs,
                                               StageClock& clock) {
  MeteringOptions metering = metering_options(options, filter, on_device, most_packets(source));
  // What unpacks for the source all others wait for.
  if (metering.threads > 1) metering.threads -= std::min(source.own_threads(), metering.threads - 1);
  if (options.policy.policy) return std::make_unique<PolicyMetering>(metering, source, runs, clock);
  if (!on_device) return std::make_unique<CpuMetering>(metering, source, runs, clock);
  DeviceMeterOptions device;
  device.meter = metering.meter;
  device.batch = metering.batch;
  device.hash_seed = random_hash_seed();
  device.memory = options.gpu_memory;
  device.most_packets = metering.most_packets;
  DeviceMetering::Devices devices = make_devices(options, device);
  const std::string remark = devices.front()->remark();  // several are of one kind
  if (!remark.empty()) warn_of(options, remark);
  return std::make_unique<DeviceMetering>(metering, std::move(devices), device.hash_seed, source, runs, clock);
}

void announce(const ExtractOptions& o, const BackendChoice& backend, std::size_t files) {
  warn(fmt::format("backend {}{}", backend.name, backend.is_remark ? ": " + backend.reason : ""));
  announce_resources(o, o.threads);
  warn(fmt::format("{} input {}{}", files, files == 1 ? "file" : "files",
                   o.filter.empty() ? "" : ", filter: " + o.filter));
}

}  // namespace

std::vector<std::string> outputs_of(const ExtractOptions& run) {
  std::vector<std::string> names = {run.stats_file, run.output.file};
  for (const OutputOptions& other : run.output.also) names.push_back(other.file);
  return names;
}

std::uint64_t default_memory() {
  std::uint64_t bytes =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
  std::ifstream control_group("/sys/fs/cgroup/memory.max");  // a number, or "max"
  if (std::uint64_t limit = 0; control_group >> limit && limit > 0) bytes = std::min(bytes, limit);
  return bytes / 2;
}

void announce_resources(const ExtractOptions& o, unsigned threads) {
  warn(fmt::format("{}, memory {}, run files in {}", human_number_of(threads, "thread"),
                   human_bytes(static_cast<double>(o.memory)), o.tmpdir));
}

MeterOptions cpu_meter_options(const ExtractOptions& o) { return metering_options(o, nullptr, false, 0).meter; }

RunStoreOptions run_store_options(const ExtractOptions& o) {
  const std::uint64_t limit = o.run_memory ? o.run_memory : std::min(o.memory / kRunShare, kMostRunMemory);
  RunStoreOptions store{o.tmpdir, o.biflow ? biflow_arrival_order : arrival_order, limit};
  store.failed = o.no_room_in_tmpdir;
  return store;
}

MeteringWork::MeteringWork(const ExtractOptions& options, std::unique_ptr<PacketSource> source,
                           const PacketFilter* filter, const BackendChoice& backend)
    : options_(options),
      backend_(backend),
      source_(std::move(source)),
      runs_(run_store_options(options)),
      metering_(make_metering(options, filter, backend.on_device, *source_, runs_, clock_)) {}

MeteringWork::MeteringWork(const ExtractOptions& options, const PacketFilter* filter, const BackendChoice& backend,
                           const MakeMetering& make)
    : options_(options),
      backend_(backend),
      runs_(run_store_options(options)),
      metering_(make(metering_options(options, filter, false, 0), runs_, clock_)) {}

void MeteringWork::run() {
  go_on();
  end();
}

// From here on nothing allocates for a packet; batches, tables and pools are reused.
void MeteringWork::go_on() {
  std::optional<Progress> progress;
  if (source_) progress.emplace(*source_, options_.progress && !options_.quiet, options_.tell_progress);
  metering_->run();
}

// Every packet of the source has been metered.
void MeteringWork::end() { metering_->drain(); }

std::vector<std::pair<std::string, double>> MeteringWork::stages() const {
  std::vector<std::pair<std::string, double>> stages;
  const auto add = [&](Stage stage) {
    const int number = static_cast<int>(stage);
    stages.emplace_back(kStageNames[number], clock_.seconds(number));
  };
  if (backend_.on_device) {
    stages.emplace_back(
        "CPU filter", clock_.seconds(static_cast<int>(Stage::read)) + clock_.seconds(static_cast<int>(Stage::decode)));
    for (const auto& stage : metering_->device_stages()) stages.push_back(stage);
  } else {
    add(Stage::read);
    add(Stage::decode);
  }
  for (const Stage stage : {Stage::meter, Stage::spill, Stage::drain, Stage::merge_and_export}) add(stage);
  return stages;
}

namespace {

// One attempt.
MeteredTrace meter(const ExtractOptions& options, std::unique_ptr<TraceSource> source, const PacketFilter* filter,
                   const BackendChoice& backend, bool& began) {
  const TraceSource& trace = *source;
  MeteredTrace metered;
  metered.work = std::make_unique<MeteringWork>(options, std::move(source), filter, backend);
  began = true;
  metered.work->run();
  metered.findings = trace.findings();
  if (trace.nothing_readable()) throw CaptureError(joined(metered.findings.unreadable));
  return metered;
}

}  // namespace

MeteredTrace meter_trace(const ExtractOptions& options, const OpenTrace& open, std::size_t files,
                         const PacketFilter* filter, const std::atomic<bool>& interrupted) {
  std::unique_ptr<TraceSource> trace = open();
  BackendChoice backend = choose_backend(options, unpacked_bytes(*trace));
  if (options.verbose) announce(options, backend, files);
  const bool repeatable = trace->repeatable();
  bool began = false;
  try {
    return meter(options, std::move(trace), filter, backend, began);
  } catch (const DeviceError& error) {
    const std::string what = fmt::format("GPU: {}", error.what());
    if (options.backend == Backend::cuda) throw Error(what);
    if (interrupted) throw Error(what + "; interrupted, so not started over on the CPU");
    if (began && !repeatable) throw Error(what + "; what a pipe gave cannot be read again");
    warn_of(options, fmt::format("{}; {} on the CPU", what, began ? "starting over" : "metering"));
    backend = {"cpu", what};
  }
  return meter(options, open(), filter, backend, began);
}

void look_at_tmpdir(const ExtractOptions& options) {
  if (options.is_tmpdir_chosen) const TempFile try_one(options.tmpdir);
}

}  // namespace warpmeter::inline pipeline
