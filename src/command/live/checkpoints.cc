#include "command/live/checkpoints.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>

#include "base/files/durable.h"
#include "base/program/messages.h"
#include "base/words/printable.h"
#include "command/live/live_source.h"
#include "command/live/running_export.h"
#include "core/seeded_hash.h"
#include "flow/runs/run_store.h"
#include "record/write/rotated_file.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {
namespace fs = std::filesystem;
namespace {

std::vector<std::string> files_of(const OutputOptions& outputs) {
  std::vector<std::string> files = {outputs.file};
  for (const OutputOptions& other : outputs.also) files.push_back(other.file);
  return files;
}

// Between two tries of a step, and between two looks for reasons not to wait so long.
constexpr std::chrono::milliseconds kFirstPause{500}, kLongestPause{16'000}, kLook{50};

std::string absolute(const std::string& path) { return fs::absolute(path).string(); }

std::vector<LaterName> absolute(std::vector<LaterName> files) {
  for (LaterName& file : files) {
    file.hidden = absolute(file.hidden);
    file.before = absolute(file.before);
  }
  return files;
}

}  // namespace

void check_state_options(const LiveOptions& options) {
  const auto usage = [](const std::string& text) { throw Error(text, ExitStatus::usage); };
  if (options.delete_after && options.state.empty())
    usage("--delete-after takes --state FILE: what is deleted is gone");
  if (options.extract.resync && folder_of(options).empty())
    usage("--resync goes with -i folder:PATH: only files are damaged");
  if (options.state.empty()) return;
  if (folder_of(options).empty()) usage("--state goes with -i folder:PATH: nobody can read a ring twice");
  const OutputOptions& output = options.extract.output;
  const auto rotates = [](const OutputOptions& one) { return !one.file.empty() && one.rotate_ns > 0; };
  if (output.collector) usage("--state: not with --collector, which may get Flow Records twice");
  if (!rotates(output) || !std::ranges::all_of(output.also, rotates)) {
    usage("--state takes -o FILE with --rotate TIME: it knows of Flow Records only in files that are complete");
  }
  if (options.extract.backend == Backend::cuda) usage("--state: not with --backend cuda");
  if (options.extract.biflow || options.extract.aggregate) {
    usage("--state: not with --biflow or --aggregate, which take the Flow Records of a whole capture");
  }
}

Checkpoints::Checkpoints(const LiveOptions& options)
    : delete_after_(options.delete_after),
      rotate_ns_(options.extract.output.rotate_ns),
      output_files_(files_of(options.extract.output)),
      file_(options.state) {
  std::error_code error;
  const std::string folder = fs::canonical(folder_of(options), error).string();
  if (error) throw Error(folder_of(options) + ": " + error.message());
  if (const auto text = file_.load(kFolderStateTitle)) {
    state_ = folder_state_of(*text, file_.name());
    if (state_.folder != folder) {
      throw Error(fmt::format("{} is the state of another folder, {}", file_.name(), state_.folder));
    }
    end_what_was_begun();
  } else {
    state_.id = fmt::format("{:016x}", random_hash_seed().word[0]);
    state_.folder = folder;
    file_.store(text_of(state_));
  }
  names_ = std::make_unique<NamedLater>(state_.id);
  interval_ = interval();
}

void Checkpoints::take_outputs(OutputOptions& outputs) {
  outputs.named_later = names_.get();
  for (OutputOptions& other : outputs.also) other.named_later = names_.get();
}

void Checkpoints::end_what_was_begun() {
  for (const LaterName& file : state_.to_name) give_name(file);
  for (const LaterName& file : state_.living) give_name(file);
  state_.to_name.clear();
  state_.living.clear();
  file_.store(text_of(state_));
  remove_hidden();
}

// Of a step that was not completed; also below, where files lie by their dates and hours.
void Checkpoints::remove_hidden_in(const std::string& folder) const {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (NamedLater::is_hidden_name(name, state_.id)) unlink(entry->path().c_str());
    else if (is_date_folder(name)) remove_hidden_in(entry->path().string());
  }
}

void Checkpoints::remove_hidden() const {
  for (const std::string& output : output_files_) remove_hidden_in(folder_of_path(output));
}

std::int64_t Checkpoints::interval() const {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return beginning_of_interval(std::chrono::nanoseconds(now).count(), rotate_ns_);
}

ExportedRecords Checkpoints::run(const ExtractOptions& options, MeteringWork& work, GrowingFolder& folder,
                                 RecordWriter& output, RecordWriter& living, std::atomic<bool>& step_now) {
  file_.keep();
  options_ = &options;
  folder_ = &folder;
  output_ = &output;
  living_ = &living;
  step_now_ = &step_now;
  ContinuedOutput continued(output);
  ExportedRecords exported;
  if (delete_after_) delete_done();
  folder.pause_when([this, &step_now] { return step_now || interval() != interval_; });
  output.begin();
  for (work.go_on(); !folder.is_over(); work.go_on()) {
    const Flows flows = work.live_flows();
    const bool steps = step_now.exchange(false) || interval() != interval_;
    PartialChunk noted = steps ? work.live_annotations() : PartialChunk();
    if (const auto ended = work.runs().take()) exported.add(export_in_order(*ended, options, continued));
    if (steps) take_step(flows, std::move(noted), false);
  }
  work.end();
  exported.add(export_in_order(work.runs(), options, continued));
  take_step({}, {}, true);
  output.end();
  return exported;
}

// `noted`: of the flows that live.
void Checkpoints::take_step(const Flows& living, PartialChunk noted, bool last) {
  interval_ = interval();
  const std::vector<SeenFile> files = folder_->take_done();
  if (files.empty() && !last) return;
  for (const SeenFile& file : files) state_.done.add(file);
  names_->begin(++state_.number, "");
  try_until_done([this] { output_->flush(); });
  state_.to_name = absolute(names_->take());
  const std::vector<LaterName> held_before = std::exchange(state_.living, hold(living, std::move(noted)));
  state_.done.keep_those_in(folder_->descriptor());
  try_until_done([this] { file_.prepare(text_of(state_)); });
  names_->keep();
  file_.replace();
  for (const LaterName& file : state_.to_name) give_name(file);
  for (const LaterName& file : held_before) unlink(file.hidden.c_str());
  if (delete_after_) delete_done();
}

// The flows that live, as they would end now.
std::vector<LaterName> Checkpoints::hold(const Flows& living, PartialChunk noted) {
  RunStore store(run_store_options(*options_));
  for (const auto& flows : living) store.add(flows);
  if (!noted.empty()) store.add(std::move(noted));
  names_->begin(state_.number, ".living");
  ContinuedOutput continued(*living_);
  export_in_order(store, *options_, continued);
  try_until_done([this] { living_->flush(); });
  return absolute(names_->take());
}

// What fails is the same when it is called again: nothing is read meanwhile. What was written and could not be brought
// to the disk (NamedLater::take) is none of that, since nobody can tell what of it is there.
template <class Do>
void Checkpoints::try_until_done(Do&& what) {
  for (std::chrono::milliseconds pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
    const bool is_last = folder_->wants_to_stop();
    try {
      what();
      break;
    } catch (const Error& error) {
      if (is_last) throw;
      if (!std::exchange(failing_, true)) {
        warn(fmt::format("{}: tried again; until then {} stays as it is, and no more is read", error.what(),
                         file_.name()));
      }
    }
    wait_to_try_again(pause);
  }
  if (std::exchange(failing_, false)) warn(file_.name() + ": goes on, nothing was lost");
}

// No longer than until somebody has made room and says so (SIGHUP), or wants an end.
void Checkpoints::wait_to_try_again(std::chrono::milliseconds longest) {
  const auto until = std::chrono::steady_clock::now() + longest;
  while (std::chrono::steady_clock::now() < until && !*step_now_ && !folder_->wants_to_stop()) folder_->wait(kLook);
  *step_now_ = false;
}

// What was read whole, and is as it was then: no copy of it. What cannot be deleted is tried again behind the next
// step.
void Checkpoints::delete_done() {
  const int folder = folder_->descriptor();
  std::vector<SeenFile> deleted;
  for (const auto& [number, file] : state_.done.by_number()) {
    struct stat status {};
    if (file.fate != Fate::whole || fstatat(folder, file.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    const auto now = look_at_entry(folder, file.name);
    if (!S_ISREG(status.st_mode) || !now || !is_one_file(*now, file) || now->size != file.size ||
        now->changed_ns != file.changed_ns) {
      continue;
    }
    const bool is_deleted = unlinkat(folder, file.name.c_str(), 0) == 0 || errno == ENOENT;
    if (is_deleted) deleted.push_back(file);
    if (!is_deleted && not_deleted_.insert(number).second) {
      warn(fmt::format("{}: cannot be deleted: {}", folder_->path() + '/' + file.name,
                       std::error_code(errno, std::generic_category()).message()));
    }
  }
  for (const SeenFile& file : deleted) {
    folder_->forget(file);
    state_.done.forget(file);
  }
  state_.done.keep_those_in(folder);
  std::erase_if(not_deleted_, [this](std::uint64_t number) { return !state_.done.by_number().contains(number); });
}

}  // namespace warpmeter::inline command
