#include "command/live/live.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/files/temp_file.h"
#include "base/program/messages.h"
#include "command/live/capture_cpus.h"
#include "command/live/checkpoints.h"
#include "command/live/detector_link.h"
#include "command/live/live_service.h"
#include "command/live/live_source.h"
#include "command/live/policy_reload.h"
#include "command/live/record_watch.h"
#include "command/live/ring_metering.h"
#include "command/live/run_options.h"
#include "command/live/running_export.h"
#include "command/live/start_limit.h"
#include "core/thread_annotations.h"
#include "pipeline/metering/metering_work.h"
#include "pipeline/run/command_run.h"
#include "pipeline/run/metering_run.h"
#include "pipeline/run/summary.h"
#include "policy/control/control_socket.h"
#include "policy/control/policy_control.h"
#include "record/columns/column_option.h"
#include "record/write/record_output.h"
#include "warpmeter/columns.h"

namespace warpmeter::inline command {
namespace {

// What a live capture does where Flow Records find no room in --tmpdir: they stay in memory. Those that leave while it
// runs go on; where all are written at the end, the capture ends now, and what was metered until then is written.
//
// Threads: any.
class RunRoom {
 public:
  // `leave`: Flow Records leave while it runs.
  explicit RunRoom(bool leave) : leave_(leave) {}

  void is_missing(const std::string& why) {
    const std::lock_guard lock(mutex_);
    if (why_.empty()) {
      warn(why + (leave_ ? ": Flow Records stay in memory"
                         : ": the capture ends, and what was metered until now is in the output"));
      why_ = why;
    }
    if (!leave_ && end_) end_();
  }

  // From now on; what is called must outlive it.
  void ends_by(std::function<void()> end) {
    const std::lock_guard lock(mutex_);
    end_ = std::move(end);
    if (!leave_ && !why_.empty()) end_();
  }

  // Why the capture ended; empty: it did not.
  std::string why_ended() const {
    const std::lock_guard lock(mutex_);
    return leave_ ? "" : why_;
  }

 private:
  const bool leave_;
  mutable std::mutex mutex_;
  std::string why_ WARPMETER_GUARDED_BY(mutex_);
  std::function<void()> end_ WARPMETER_GUARDED_BY(mutex_);
};

// Whoever asks it to stop wants the records: that is no reason to give up a collector, or who reads a pipe, before that
// takes too long. Only those who have not come yet are waited for no longer than until then.
OutputOptions output_options_of_live(const ExtractOptions& options, FilesInUse& in_use, const StartLimit& start,
                                     const std::atomic<bool>& gives_up, std::vector<std::string>& unread) {
  OutputOptions output = output_options_of_run(options, in_use, start.over());
  if (output.collector) {
    output.collector->interrupted = [&] { return gives_up || start.over(); };
    output.collector->gives_up = &gives_up;
  }
  const auto limit = [&](OutputOptions& one) {
    one.gives_up = &gives_up;
    one.unread = &unread;
  };
  limit(output);
  std::ranges::for_each(output.also, limit);
  return output;
}

// Who reads a ring alone numbers its packets by where they were observed (ring_owner.h).
RecordLayout layout_of_live(const LiveOptions& live, const ExtractOptions& options, bool on_device,
                            const ObservedPoints& observed) {
  RecordLayout layout = layout_of_run(options);
  const bool known =
      folder_of(live).empty() && !on_device && !options.asks_frames() && (live.thread_a_ring || options.threads == 1);
  if (live.interface_columns && !known) {
    throw Error(
        "--interface-columns: who reads a ring alone knows its interface; without --threads above 1, --backend "
        "cuda, --policy and --annex",
        ExitStatus::usage);
  }
  if (known && !options.aggregate) layout.observed = &observed;
  if (live.interface_columns) std::ranges::copy(observed_columns(observed), std::back_inserter(layout.extra));
  layout.numbered = false;  // a ring numbers its packets for itself, with what else is to be told of them
  layout.sample_changes = options.rarest_sample > 0;
  return layout;
}

ExitStatus status_of(const Summary& s) {
  if (s.not_deleted || s.lost_some() || !s.no_room.empty()) return ExitStatus::failed;
  const bool is_all = s.findings.damage.empty() && s.findings.unreadable.empty() && s.left_out.empty() && !s.changed &&
                      !s.folder_is_gone;
  return is_all ? ExitStatus::ok : ExitStatus::damaged;
}

// What the kernel filtered out is as ignored as what is filtered out here. `filter`: null where there is none, or none
// that is of interfaces.
void tell_of_filter(const PacketFilter* filter, Summary& s) {
  s.left_out = left_out_by(filter);
  for (const RingCounts& ring : s.rings) {
    s.decode.frames += ring.filtered;
    s.decode.ignored[static_cast<int>(Ignored::filtered_out)] += ring.filtered;
  }
}

// Of sockets: where a detector may come, and where the policy is changed, if anywhere.
std::unique_ptr<ControlSocket> take_places(const LiveOptions& live) {
  if (!live.detector.socket.empty()) DetectorLink(live.detector.socket).check_place();
  return live.policy_socket.empty() ? nullptr : std::make_unique<ControlSocket>(live.policy_socket);
}

// Of a port that the system chose nobody would know otherwise.
void announce(const LiveOptions& live, const ExtractOptions& options, unsigned threads, const LiveSource& source,
              const std::string& metrics_url) {
  if (options.verbose) announce_resources(options, threads);
  if (!options.quiet) {
    say(fmt::format("warpmeter: capturing from {}; Flow Records are written {}\n", source.description(),
                    options.expire_every_ns ? "as they end" : "when the capture ends"));
  }
  const auto& metrics = live.service.metrics;
  if (metrics && (!options.quiet || metrics->port == 0)) say("warpmeter: metrics at " + metrics_url + "\n");
}

// It may be hours until one is needed, and then what was captured would be gone.
void try_run_files(const ExtractOptions& options) {
  try {
    const TempFile file(options.tmpdir);
  } catch (const Error& error) {
    warn(fmt::format("{}: the capture will fail when Flow Records find no room in memory", error.what()));
  }
}

// On the CPU of the first thread, which this one is; later others begin here.
ExportedRecords meter(const LiveOptions& live, const ExtractOptions& options, MeteringWork& work, LiveSource& source,
                      RecordOutput& output, WatchedWriter& watched, LiveService& service, const CaptureCpus& cpus) {
  std::optional<RunningExport> running;
  if (options.expire_every_ns) {
    running.emplace(
        options, work.runs(), watched, live.max_latency / 4, [&source] { source.end(); },
        [&](bool at_end) { service.between_exports(output, at_end); });
  }
  {
    const PinnedForNow as_it_began(cpus.plan().of_thread(0));
    work.go_on();
    if (running) running->stop();
    work.end();
  }
  service.end_line();
  return running ? running->finish() : export_all(options, work, output);
}

// What may change meanwhile.
void tell_changes(const ExtractOptions& options, const LiveParts& parts, Summary& s) {
  s.sample_one_in = parts.sampling ? parts.sampling->one_in() : options.sample.one_in;
  if (parts.sampling) s.sample_changes = parts.sampling->changes();
  if (parts.rounds) s.rounds_changes = parts.rounds->changes();
}

// Of a capture that fails now: no more than what is counted while it runs, since it has not come to its end.
Summary counts_until_now(const ExtractOptions& options, const LiveParts& parts) {
  Summary s;
  tell_changes(options, parts, s);
  parts.source.tell(s);
  const LiveState now = parts.state();
  s.decode.frames = now.metering.frames;
  s.decode.metered = now.metering.metered;
  s.decode.ignored = now.metering.ignored;
  for (const RingCounts& ring : s.rings) s.decode.frames += ring.filtered;
  s.policy = now.policy;
  s.streams = now.streams;
  s.outputs = now.outputs;
  if (now.collector) s.exported = ExportReport{now.collector->counters, ""};
  s.bytes_read = now.bytes_read;
  s.seconds = now.up_seconds;
  return s;
}

// But for how it ended.
Summary summary_of(const ExtractOptions& options, const LiveParts& parts, const ExportedRecords& exported) {
  Summary s;
  parts.source.tell(s);
  if (parts.streams) s.streams = parts.streams->counts();
  sum_up(options, parts.work, parts.output, exported, s);
  tell_changes(options, parts, s);
  s.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - parts.start).count();
  return s;
}

// What ends the capture is written with all that was counted until then.
ExportedRecords counted_if_it_fails(const ExtractOptions& options, const LiveParts& parts, StatsFile& stats,
                                    const std::function<ExportedRecords()>& capture) {
  try {
    return capture();
  } catch (const std::exception& error) {
    const bool of_gpu = dynamic_cast<const DeviceError*>(&error) != nullptr;
    const std::string message = (of_gpu ? "GPU: " : "") + failure_words(error);
    stats.write_failure(message, failure_json(message, counts_until_now(options, parts)));
    throw;
  }
}

// Who takes what the source gives: metering, and beside it streams, the hosts that send most, the sample, and the
// policy.
struct LiveConsumers {
  LiveConsumers(const LiveOptions& live, const ExtractOptions& options_, const BackendChoice& backend,
                LiveSource& source, LiveService& service, const ControlSocket* socket)
      : options(options_),
        streams(make_live_streams(live, backend, source, service.gives_up())),
        owners(owners_of_rings(live, backend, source)),
        sampling(make_live_sampling(options, owners)) {
    if (service.shows_line() && owners > 0) talkers.emplace();
    if (const auto& policy = options.policy.running) reload.emplace(live.policy_file, policy, options.quiet);
    if (options.policy.bound) rounds.emplace(options.policy.bound, options.policy.running, options.threads);
    const BesideRings beside{streams.get(), talkers ? &*talkers : nullptr, sampling ? &sampling->rate() : nullptr};
    work = make_live_work(live, options, backend, source, beside);
    if (!socket) return;
    const auto tell = [quiet = options.quiet](const std::string& change) {
      if (!quiet) say("warpmeter: " + change + "\n");
    };
    control.emplace(*socket, *options.policy.running, tell);
  }

  LiveParts parts(LiveSource& source, RecordWatch& records, const RecordOutput& output,
                  std::chrono::steady_clock::time_point start) {
    LiveParts all{source, *work, records, output, options.expire_every_ns != 0, start};
    all.streams = streams.get();
    all.talkers = talkers ? &*talkers : nullptr;
    all.sample_one_in = options.sample.one_in;
    all.sampling = sampling.get();
    all.reload = reload ? &*reload : nullptr;
    all.control = control ? &*control : nullptr;
    all.most_rounds = options.policy.most_rounds == RoundsBound::kNone ? 0 : options.policy.most_rounds;
    all.rounds = rounds ? &*rounds : nullptr;
    return all;
  }

  const ExtractOptions& options;
  const std::unique_ptr<LiveStreams> streams;
  const unsigned owners;  // threads with rings of their own; 0: there are none
  std::optional<LiveTalkers> talkers;
  const std::unique_ptr<LiveSampling> sampling;
  std::optional<PolicyReload> reload;
  std::optional<LiveRounds> rounds;
  std::unique_ptr<MeteringWork> work;
  std::optional<PolicyControl> control;
};

// `owners`: threads that have rings of their own; 0: there are none.
void tell_of_run(unsigned owners, const RunRoom& room, std::vector<std::string> unread, Summary& summary) {
  if (owners) summary.threads = owners;
  summary.no_room = room.why_ended();
  summary.unread = std::move(unread);
  summary.status = status_of(summary);
}

// Of a folder, no clock says when the end of a flow was sure.
RecordWatch watch_of(const MeterOptions& meter, LiveSource& source, bool talkers) {
  return {source.folder() ? 0 : meter.timeouts.idle_ns, talkers, not_counted_by(meter.method)};
}

ExitStatus live(const LiveOptions& live_options, StartLimit& limit, const std::atomic<bool>& stop, CommandRun& run) {
  // What follows from the options, for a capture on this machine.
  check_state_options(live_options);
  CaptureCpus cpus(live_options);
  const BackendChoice backend = backend_of_live(live_options.extract);
  ExtractOptions options = options_of_run(live_options, backend.on_device);
  options.begin_thread = cpus.begin_thread();
  RunRoom room(options.expire_every_ns != 0);
  options.no_room_in_tmpdir = [&room](const std::string& why) { room.is_missing(why); };
  const auto start = std::chrono::steady_clock::now();
  run.begin(files_there(live_options), "");
  run.open_stats();

  // Where Flow Records go. What is not there by the end of the limit is not waited for.
  try_run_files(options);
  std::optional<Checkpoints> checkpoints;
  if (!live_options.state.empty()) checkpoints.emplace(live_options);
  const std::unique_ptr<ControlSocket> control_socket = take_places(live_options);
  LiveService service(service_options_of(live_options, options));
  std::vector<std::string> unread;
  OutputOptions outputs = output_options_of_live(options, run.in_use(), limit, service.gives_up(), unread);
  if (checkpoints) checkpoints->take_outputs(outputs);
  ObservedPoints observed;
  RecordOutput output(outputs, layout_of_live(live_options, options, backend.on_device, observed));
  limit.end();

  // What is captured. The source is open before the rights to open it go.
  const auto held =
      open_live_source(live_options, run.filter(), cpus, stop, checkpoints ? checkpoints->done() : SeenFiles());
  LiveSource& source = *held;
  drop_rights(rights_to_keep(live_options, options, source.folder() ? source.folder()->path() : ""));
  if (ObservationPoints* const points = source.points()) points->observe_as(observed);

  // What becomes of it, a thread a ring or all together.
  LiveConsumers consumers(live_options, options, backend, source, service, control_socket.get());
  MeteringWork& work = *consumers.work;

  // The capture: it is watched while it runs, and told of if it fails.
  announce(live_options, options, consumers.owners ? consumers.owners : options.threads, source, service.metrics_url());
  RecordWatch records = watch_of(options.meter, source, service.shows_line() && !consumers.talkers);
  WatchedWriter watched(output, records);
  LiveParts parts = consumers.parts(source, records, output, start);
  room.ends_by([&source] { source.end(); });
  source.begin();
  const LiveService::Watching watching(service, parts);
  const ExportedRecords exported = counted_if_it_fails(options, parts, run.stats(), [&] {
    return checkpoints ? checkpoints->run(options, work, *source.folder(), watched, output, service.wants_rotation())
                       : meter(live_options, options, work, source, output, watched, service, cpus);
  });
  if (consumers.streams) consumers.streams->finish();

  // What the run says.
  Summary summary = summary_of(options, parts, exported);
  if (checkpoints) summary.not_deleted = checkpoints->not_deleted();
  tell_of_filter(source.folder() ? nullptr : run.filter(), summary);
  tell_of_run(consumers.owners, room, std::move(unread), summary);
  run.report(report_of(summary, options));
  return summary.status;
}

// Of a pipe: "NAME: interrupted" is what whoever waited for its reader says.
std::string why_nothing(const Error& error, const std::atomic<bool>& stop) {
  constexpr std::string_view kInterrupted = ": interrupted";
  std::string why = error.what();
  if (stop || !why.ends_with(kInterrupted)) return why + " before anybody read it";
  return why.erase(why.size() - kInterrupted.size()) + ": nobody read it before the end of --duration";
}

}  // namespace

ExitStatus live(const LiveOptions& options, const std::atomic<bool>& stop) {
  std::vector<std::string> inputs;
  if (std::string folder = folder_of(options); !folder.empty()) inputs.push_back(std::move(folder));
  ExitStatus status = ExitStatus::ok;
  StartLimit limit(stop, options.duration);
  CommandRun run(options.extract, std::move(inputs), limit.over());
  run.run([&] {
    try {
      status = live(options, limit, stop, run);
    } catch (const Error& error) {
      if (error.status() != ExitStatus::interrupted) throw;
      throw Error(fmt::format("{}: nothing was captured", why_nothing(error, stop)));
    }
  });
  return status;
}

}  // namespace warpmeter::inline command
