#include "command/live/live_source.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/files/own_files.h"
#include "base/program/interrupt.h"
#include "base/program/messages.h"
#include "base/words/printable.h"
#include "command/live/open_points.h"
#include "command/live/run_options.h"
#include "packet/file/capture_links.h"
#include "packet/folder/folder_source.h"
#include "packet/nic/ring/ring_reader.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {

std::string folder_of(const LiveOptions& options) {
  const auto is_folder = [](const std::string& word) { return source_kind_of(word) == SourceKind::folder; };
  if (std::ranges::none_of(options.interfaces, is_folder)) return "";
  if (options.interfaces.size() > 1) throw Error("-i folder:PATH goes with no other -i", ExitStatus::usage);
  std::string path = options.interfaces.front().substr(kFolderWord.size());
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  if (path.empty()) throw Error("-i folder: is followed by the path of a folder", ExitStatus::usage);
  return path;
}

std::vector<std::string> files_there(const LiveOptions& options) {
  std::vector<std::string> files;
  const std::string folder = folder_of(options);
  std::error_code error;
  if (folder.empty()) return files;
  const OwnFiles own;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    struct stat status {};
    if (stat(entry->path().c_str(), &status) == 0 && own.contains_empty(status)) continue;
    files.push_back(entry->path().string());
  }
  return files;
}

std::unique_ptr<LiveSource> open_live_source(const LiveOptions& options, const PacketFilter* filter, CaptureCpus& cpus,
                                             const std::atomic<bool>& stop, SeenFiles seen) {
  if (folder_of(options).empty()) return std::make_unique<LiveRings>(options, filter, cpus, stop);
  return std::make_unique<LiveFolder>(options, filter, stop, std::move(seen));
}

LiveRings::LiveRings(const LiveOptions& options, const PacketFilter* filter, CaptureCpus& cpus,
                     const std::atomic<bool>& stop)
    : filter_(filter) {
  LiveOptions with_filter = options;
  if (filter) {
    with_filter.ring.filter = [filter](std::uint16_t link) {
      const EndedBySignals meanwhile;  // it may be compiled now
      if (const std::string refusal = filter->refusal(link); !refusal.empty()) {
        throw Error("link type " + link_name(link) + ": " + refusal);
      }
      return filter->program(link);
    };
  }
  with_filter.ring.block_ms = block_ms_of(options.max_latency, options.interfaces.size() == 1 && options.rings <= 1);
  points_ = std::make_unique<ObservationPoints>(open_points(with_filter, cpus.plan()), options.duration, warn, stop);
  if (points_->filter()) filter_ = nullptr;
  cpus.move_interrupts(*points_);
}

std::unique_ptr<PacketSource> LiveRings::open(std::chrono::nanoseconds) {
  return std::make_unique<RingSource>(*points_);
}

std::vector<std::uint64_t> LiveRings::polls() const {
  std::vector<std::uint64_t> looks;
  for (const Ring* const ring : points_->rings()) looks.push_back(ring->polls());
  return looks;
}

void LiveRings::tell(Summary& summary) {
  points_->look();
  summary.rings = points_->ring_counts();
  summary.points = points_->point_counts();
  summary.findings.unreadable = points_->gone();
}

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
