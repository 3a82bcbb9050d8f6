#include "command/coalesce/inline_command.h"

#include <fmt/format.h>
#include <net/if.h>

#include <string_view>

#include "base/program/messages.h"
#include "command/coalesce/coalesce_summary.h"
#include "command/coalesce/inline_places.h"
#include "command/coalesce/inline_run.h"
#include "packet/nic/xdp/capture_rights.h"
#include "pipeline/run/command_run.h"

namespace warpmeter::inline command {
namespace {

// As the kernel takes it for a new device: of t%d it would make t0, and 0xa0 is a blank to it.
bool is_device_name(const std::string& name) {
  constexpr std::string_view kNever = "/:% \t\n\v\f\r\xa0";
  return name.size() < IFNAMSIZ && name != "." && name != ".." && name.find_first_of(kNever) == std::string::npos;
}

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

InlineOutput parse_inline_output(const std::string& word) {
  constexpr std::string_view kTap = "tap:", kInterface = "if:";
  InlineOutput to;
  if (word.starts_with(kTap)) {
    to.name = word.substr(kTap.size());
    if (const std::size_t at = to.name.find('@'); at != std::string::npos) {
      to.space = to.name.substr(at + 1);
      to.name.resize(at);
      if (to.space.empty()) to.name.clear();
    }
  } else if (word.starts_with(kInterface)) {
    to.is_tap = false;
    to.name = word.substr(kInterface.size());
  }
  if (to.name.empty()) {
    throw Error("--to " + word +
                    ": tap:NAME, a TAP device here; tap:NAME@NETNS, in a network namespace; or if:NAME, a "
                    "network interface",
                ExitStatus::usage);
  }
  if (to.is_tap && !is_device_name(to.name)) {
    throw Error(fmt::format("--to {}: no name of a TAP device: 1 to {} bytes, without blanks, '/', ':' and '%'", word,
                            IFNAMSIZ - 1),
                ExitStatus::usage);
  }
  return to;
}

ExitStatus coalesce_inline(const InlineOptions& options, const ServiceSignals& signals, const std::atomic<bool>& stop) {
  ExitStatus status = ExitStatus::ok;
  CommandRun run(options.common, {}, stop);
  run.run([&] { status = coalesce_inline(options, signals, stop, run); });
  return status;
}

}  // namespace warpmeter::inline command
