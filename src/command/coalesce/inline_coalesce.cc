#include "command/coalesce/inline_coalesce.h"

#include <fmt/format.h>

#include "base/program/messages.h"
#include "command/coalesce/coalesce_summary.h"
#include "command/coalesce/inline_places.h"
#include "command/coalesce/inline_run.h"
#include "packet/nic/xdp/capture_rights.h"
#include "pipeline/run/command_run.h"

namespace warpmeter::inline command {
namespace {

// Of a port that the system chose nobody would know otherwise.
void announce(const InlineOptions& options, const InlinePlaces& places, const std::string& metrics_url) {
  for (const std::string& remark : places.remarks()) warn_of(options.common, remark);
  const bool quiet = options.common.quiet;
  if (!quiet) say("warpmeter: forwarding " + places.description() + "\n");
  if (options.metrics && (!quiet || options.metrics->port == 0)) say("warpmeter: metrics at " + metrics_url + "\n");
}

ExitStatus coalesce_inline(const InlineOptions& options, const ServiceSignals& signals, const std::atomic<bool>& stop,
                           CommandRun& run) {
  // Where the statistics go.
  run.begin({}, "");
  run.open_stats();

  // Both ends, open and checked. Nothing that needs a right is done after that.
  InlinePlaces places(options);
  InlineRun forwarding(places, options);
  drop_rights(KeptRights::none);

  // Both directions, until it is told to end or one of the ends is gone.
  announce(options, places, forwarding.metrics_url());
  forwarding.run(stop, signals);

  // What the run says.
  CoalesceSummary summary = forwarding.counts();
  run.end(summary);
  const std::string& why = summary.inline_counts->why_ended;
  if (!why.empty()) summary.status = ExitStatus::failed;
  run.report(report_of(summary));
  return summary.status;
}

}  // namespace

ExitStatus coalesce_inline(const InlineOptions& options, const ServiceSignals& signals, const std::atomic<bool>& stop) {
  ExitStatus status = ExitStatus::ok;
  CommandRun run(options.common, {}, stop);
  run.run([&] { status = coalesce_inline(options, signals, stop, run); });
  return status;
}

}  // namespace warpmeter::inline command
