#include "command/live/live_source.h"

#include <utility>

#include "base/program/messages.h"
#include "base/words/printable.h"
#include "command/live/run_options.h"
#include "packet/folder/folder_source.h"

namespace warpmeter::inline command {
namespace {

// Of files that are read between two steps of a state: a second or two.
constexpr std::uint64_t kMostBytesOfStep = 256 << 20;

GrowingFolderOptions folder_options(const LiveOptions& live, const PacketFilter* filter) {
  GrowingFolderOptions options;
  options.capture.format = live.extract.input_format;
  options.capture.resync = live.extract.resync;
  options.capture.refusal = refusals_of(filter);
  options.duration = live.duration;
  options.warn = [](const std::string& line) { warn(line); };
  options.outputs = outputs_of(live.extract);
  if (!live.state.empty()) {
    options.outputs.push_back(live.state);
    options.outputs.push_back(live.state + ".lock");
    options.most_bytes_of_round = kMostBytesOfStep;
    options.whole_rounds = true;
  }
  return options;
}

}  // namespace

LiveFolder::LiveFolder(const LiveOptions& options, const PacketFilter* filter, const std::atomic<bool>& stop,
                       SeenFiles seen)
    : filter_(filter), folder_(folder_of(options), folder_options(options, filter), stop, std::move(seen)) {}

std::unique_ptr<PacketSource> LiveFolder::open(std::chrono::nanoseconds tell_every) {
  return std::make_unique<FolderSource>(folder_, tell_every);
}

std::string LiveFolder::description() const {
  return "the files of " + printable(folder_.path()) + ", each once it is complete";
}

void LiveFolder::tell(Summary& summary) {
  FolderFacts facts = folder_.facts();
  summary.is_told = true;
  summary.files = facts.files;
  summary.files_left = facts.left + facts.being_written;
  summary.findings.damage = std::move(facts.damage);
  summary.findings.unreadable = std::move(facts.unreadable);
  summary.files_damaged = facts.damaged;
  summary.findings.skips = facts.skips;
  summary.findings.odd_fractions = std::move(facts.odd_fractions);
  summary.unreadable_beyond = facts.unreadable_beyond;
  summary.changed = facts.changed;
  summary.folder_is_gone = facts.folder_is_gone;
  summary.passed_over = facts.passed_over;
  summary.folders_below = facts.folders_below;
  summary.reads_below = "each takes a live of its own";
  summary.findings.clamped_times = facts.clamped_times;
  summary.findings.time_runs_back_count = facts.time_runs_back_count;
  summary.findings.time_runs_back = std::move(facts.time_runs_back);
}

}  // namespace warpmeter::inline command
