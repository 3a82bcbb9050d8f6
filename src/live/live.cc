#include "live/live.h"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "decode/packet_filter.h"
#include "extract/metering_work.h"
#include "extract/run_end.h"
#include "extract/summary.h"
#include "output/record_output.h"
#include "program/files_in_use.h"
#include "program/messages.h"
#include "ring/ring_source.h"
#include "warpmeter/columns.h"

namespace warpmeter {
namespace {

// Whoever asks it to stop wants the records: that is no reason to give up an output. A second signal ends the program.
const std::atomic<bool> kNever = false;

RingSourceOptions source_options(const LiveOptions& options) {
  return {
      .ring = options.ring, .rings = options.rings, .duration = options.duration, .warn = [](const std::string& text) {
        warn(text);
      }};
}

ExitStatus status_of(const Summary& s) {
  if (s.exported && !s.exported->problem.empty()) return ExitStatus::failed;
  return s.unreadable.empty() ? ExitStatus::ok : ExitStatus::damaged;
}

ExitStatus live(const LiveOptions& live_options, const std::atomic<bool>& stop, StatsFile& stats) {
  const ExtractOptions& options = live_options.extract;
  const auto start = std::chrono::steady_clock::now();
  std::optional<PacketFilter> filter;
  if (!options.filter.empty()) filter.emplace(options.filter);
  const RecordLayout layout{options.key_vlan, options.biflow, not_counted_by(options.meter.method)};
  FilesInUse in_use({});
  if (!options.stats_file.empty()) in_use.claim(options.stats_file);
  stats.inputs_are_known();
  stats.open();
  RecordOutput output(output_options_of_run(options, in_use, kNever), layout);

  auto rings = std::make_unique<RingSource>(live_options.interfaces, source_options(live_options), stop);
  const RingSource& source = *rings;
  if (options.verbose) announce_resources(options);
  if (!options.quiet) say(fmt::format("warpmeter: capturing from {}\n", source.description()));
  MeteringWork work(options, std::move(rings), filter ? &*filter : nullptr, {"cpu", "live"});
  work.run();

  Summary summary;
  summary.rings = source.ring_counts();
  summary.interfaces = source.interface_counts();
  summary.unreadable = source.gone();
  export_and_sum_up(options, work, output, summary);
  summary.status = status_of(summary);
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report(summary, options, stats, output.left_over());
  return summary.status;
}

}  // namespace

ExitStatus live(const LiveOptions& options, const std::atomic<bool>& stop) {
  return with_stats_file(options.extract, {}, kNever, [&](StatsFile& stats) { return live(options, stop, stats); });
}

}  // namespace warpmeter
