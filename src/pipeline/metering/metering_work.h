// From a source to partials: the source, the Metering Process on the backend that was chosen, and the runs that it
// fills. What one attempt needs, together, so that an attempt that a GPU spoiled can be thrown away and made again on
// the CPU with nothing lost and nothing counted twice.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flow/runs/run_store.h"
#include "packet/file/packet_source.h"
#include "pipeline/batches/stage_clock.h"
#include "pipeline/metering/backend.h"
#include "pipeline/metering/extract_options.h"
#include "pipeline/metering/metering_process.h"

namespace warpmeter::inline pipeline {

class MeteringWork {
 public:
  using MakeMetering = std::function<std::unique_ptr<MeteringProcess>(const MeteringOptions&, RunStore&, StageClock&)>;

  // Makes the Metering Process. What is referred to must outlive it. Throws Error, DeviceError.
  MeteringWork(const ExtractOptions& options, std::unique_ptr<PacketSource> source, const PacketFilter* filter,
               const BackendChoice& backend);
  // With a Metering Process on the CPU that reads by itself, without a source.
  MeteringWork(const ExtractOptions& options, const PacketFilter* filter, const BackendChoice& backend,
               const MakeMetering& make);

  // Meters all that the source gives. After this every partial is in runs(). Throws Error, DeviceError.
  void run();
  // The same in steps, on the CPU, of a source that goes on behind its end: go_on() any number of times, live_flows()
  // (MeteringProcess) between them, then end().
  void go_on();
  std::vector<std::shared_ptr<const LiveFlows>> live_flows() { return metering_->live_flows(); }
  PartialChunk live_annotations() { return metering_->live_annotations(); }
  void end();

  std::uint64_t bytes_read() const { return source_ ? source_->bytes_read() : metering_->running().bytes_read; }
  RunStore& runs() { return runs_; }
  StageClock& clock() { return clock_; }
  const MeteringProcess& metering() const { return *metering_; }
  const BackendChoice& backend() const { return backend_; }
  // Seconds a stage, over all threads. On a device by the names of the source paper (its Fig. 12) and what comes after.
  std::vector<std::pair<std::string, double>> stages() const;

 private:
  const ExtractOptions& options_;
  const BackendChoice backend_;
  const std::unique_ptr<PacketSource> source_;  // null: metering_ reads by itself
  RunStore runs_;
  StageClock clock_;
  std::unique_ptr<MeteringProcess> metering_;
};

struct MeteredTrace {
  std::unique_ptr<MeteringWork> work;
  TraceFindings findings;
};

// Makes the source of a trace, the same at every call.
using OpenTrace = std::function<std::unique_ptr<TraceSource>()>;

// Meters the whole trace, of so many files, on the backend that suits, and again on the CPU if --backend auto chose a
// GPU that then failed; says so on standard error.
MeteredTrace meter_trace(const ExtractOptions& options, const OpenTrace& open, std::size_t files,
                         const PacketFilter* filter, const std::atomic<bool>& interrupted);

// For --verbose.
void announce_resources(const ExtractOptions& options, unsigned threads);

// As the CPU meters by them: what of --memory flow states may take, and under method five-tuple how large a memory
// block is, follow from the others.
MeterOptions cpu_meter_options(const ExtractOptions& options);

// Where what finds no room in memory is to lie, if the user has said so: it may be hours until it is needed. Throws
// Error.
void look_at_tmpdir(const ExtractOptions& options);

// Where partials go until they are merged.
RunStoreOptions run_store_options(const ExtractOptions& options);

}  // namespace warpmeter::inline pipeline
