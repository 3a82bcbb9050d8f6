#include "packet/folder/growing_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>

#include "base/files/found_file.h"
#include "base/files/own_files.h"
#include "packet/file/inputs.h"
#include "packet/file/trace_files.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {
namespace {

constexpr std::size_t kSeenWithoutLook = 1000;          // files, before those that are gone are forgotten
constexpr std::chrono::milliseconds kLongestLook{300};  // through a folder, once it is to end

bool is_earlier(const SeenFile& a, const SeenFile& b) {
  const auto key = [](const SeenFile& file) { return std::tuple(!file.first_ns, file.first_ns, file.name); };
  return key(a) < key(b);
}

}  // namespace

GrowingFolder::GrowingFolder(std::string path, GrowingFolderOptions options, const std::atomic<bool>& stop,
                             SeenFiles seen)
    : path_(std::move(path)),
      options_(std::move(options)),
      stop_(stop),
      start_(Clock::now()),
      folder_(
          path_,
          [ours = OwnNames(path_, options_.outputs), own = OwnFiles(), this](const std::string& name) {
            struct stat status {};
            return ours.contains(name) || (stat((path_ + '/' + name).c_str(), &status) == 0 && own.contains(status));
          },
          [this] { return gives_up_looking(); }),
      seen_(std::move(seen)) {
  note_found_in(path_);
  facts_.folders_below = folder_.folders_below();
}

bool GrowingFolder::wants_to_stop() {
  if (stopping_) return true;
  stopping_ = stop_ || ended_ || folder_.is_gone() || (ends() && Clock::now() - start_.load() >= options_.duration);
  if (!stopping_) return false;
  if (folder_.is_gone()) {
    const std::lock_guard lock(mutex_);
    options_.warn(path_ + ": the folder is gone");
    facts_.folder_is_gone = true;
  }
  while (folder_.look(std::chrono::milliseconds(0)) && !gives_up_looking()) continue;  // what became complete before
  give_up_ = Clock::now() + kLongestDrain;
  return true;
}

// A folder may have more entries, and more may happen in it, than anybody wants to wait for who has said that it is to
// end.
bool GrowingFolder::gives_up_looking() {
  if (!stop_ && !ended_ && !stopping_) return false;
  if (!told_at_) told_at_ = Clock::now();
  return Clock::now() - *told_at_ >= kLongestLook;
}

bool GrowingFolder::is_over() {
  if (!wants_to_stop()) return false;
  if (Clock::now() >= give_up_) halt_ = true;
  if (!halt_ && unfinished_ == 0) accept_complete();
  return halt_ || (unfinished_ == 0 && waiting_.empty());
}

void GrowingFolder::wait(std::chrono::milliseconds longest) {
  looks_.fetch_add(1, std::memory_order_relaxed);
  if (stopping_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  else folder_.look(longest);
}

std::shared_ptr<FolderRound> GrowingFolder::next_round() {
  looks_.fetch_add(1, std::memory_order_relaxed);
  if (unfinished_ > 0) return nullptr;  // its files may be gone before they could be read, and come under other names
  accept_complete();
  while (!waiting_.empty() && !halt_) {
    if (auto round = round_of_waiting()) return round;
  }
  return nullptr;
}

// In the order of their first packets.
std::shared_ptr<FolderRound> GrowingFolder::round_of_waiting() {
  auto round = std::make_shared<FolderRound>();
  std::vector<std::string> paths;
  for (std::uint64_t bytes = 0; !waiting_.empty() && bytes < options_.most_bytes_of_round; waiting_.pop_front()) {
    bytes += waiting_.front().size;
    paths.push_back(path_of(waiting_.front()));
    round->files.push_back(std::move(waiting_.front()));
  }
  const std::atomic<bool>& stop = options_.whole_rounds ? ended_ : halt_;
  const std::lock_guard lock(mutex_);
  try {
    round->trace = std::make_unique<Trace>(std::move(paths), stop, TraceOptions{options_.capture, FileOrder::time});
  } catch (const Error& error) {  // none of them can be read any more
    const auto is_packed = [&](const SeenFile& file) { return is_packed_by_now(folder_.descriptor(), file.name); };
    if (!std::ranges::all_of(round->files, is_packed)) tell_unreadable(error.what());
    return nullptr;
  }
  for (const UnreadableFile& unreadable : round->trace->unreadable()) {
    for (SeenFile& file : round->files) {
      if (unreadable.file == path_of(file)) file.fate = Fate::not_read;
    }
  }
  ++unfinished_;
  return round;
}

// Where no round is on its way: what is known then waits, or is done.
void GrowingFolder::accept_complete() {
  {
    const std::lock_guard lock(mutex_);
    for (const SeenFile& file : std::exchange(vanished_, {})) seen_.forget(file);
  }
  const std::vector<std::string> names = folder_.take_complete();
  if (names.empty()) return;
  for (const std::string& name : names) {
    if (wants_to_stop() && Clock::now() >= give_up_) {
      const std::lock_guard lock(mutex_);
      ++facts_.left;
      continue;
    }
    auto file = look_at_entry(folder_.descriptor(), name);
    if (!file) continue;
    if (std::string why = file->is_link ? why_not_read(path_of(*file)) : ""; !why.empty()) {
      file = look_at_entry(folder_.descriptor(), name, false);  // what it leads to may be read under its own name
      if (file && !seen_.find(*file)) not_read(*std::move(file), why);
    } else if (file->size > 0) {  // what has no size may still be written, and is no capture yet
      accept(*std::move(file));
    }
  }
  has_begun_ = true;
  std::ranges::sort(waiting_, is_earlier);
  if (seen_.size() > kSeenWithoutLook && seen_.size() > 2 * seen_kept_) {
    seen_.keep_those_in(folder_.descriptor());
    seen_kept_ = seen_.size();
  }
}

void GrowingFolder::accept(SeenFile file) {
  const std::string path = path_of(file);
  try {
    if (is_known_unlooked_at(file)) return;
    if (!looks_like_capture(path, options_.capture.format)) {
      const std::lock_guard lock(mutex_);
      ++facts_.passed_over;
      return seen_.add(file);
    }
  } catch (const Error& error) {
    return not_read(std::move(file), error.what());
  }
  const TraceFiles found = look_at_files({path}, FileOrder::time, halt_, options_.capture);
  if (found.files.empty()) return not_read(std::move(file), joined(messages_of(found.unreadable)));
  file.first_ns = found.files.front().first_ns;
  if (is_known(file)) return;
  seen_.add(file);
  waiting_.push_back(std::move(file));
}

// Until it changes.
void GrowingFolder::not_read(SeenFile file, const std::string& message) {
  if (is_packed_by_now(folder_.descriptor(), file.name)) return;
  seen_.add(file);
  const std::lock_guard lock(mutex_);
  if (!message.empty()) tell_unreadable(message);
}

// At the beginning that nothing changed is believed of files that an earlier process read, of which there may be many.
// Later it is not: clocks of file systems are coarse, and a file may be written anew within a tick.
bool GrowingFolder::is_known_unlooked_at(SeenFile& file) {
  const SeenFile* const known = seen_.find(file);
  return known && (!has_begun_ || !known->first_ns) && is_known(file);
}

// It has been read, or will be: perhaps under another name, or before it grew.
bool GrowingFolder::is_known(SeenFile& file) {
  const SeenFile* const found = seen_.find(file);
  if (!found) return false;
  const SeenFile known = *found;
  file.told_changed = known.told_changed;
  file.first_ns = known.first_ns;
  file.fate = known.fate == Fate::whole && !is_one_file(known, file) ? Fate::alike : known.fate;
  const auto waits = std::ranges::find(waiting_, known.number, &SeenFile::number);
  const bool has_changed = waits == waiting_.end() && known.size != file.size && packed_alike(known.name, file.name);
  if (has_changed) file.fate = Fate::damaged;  // read in part, if it has grown: the rest is nowhere else
  if (has_changed && !std::exchange(file.told_changed, true)) {
    const std::lock_guard lock(mutex_);
    options_.warn(path_of(file) + (file.size > known.size
                                       ? ": it has grown after it was read; what came later is not metered"
                                       : ": it has become shorter after it was read; what it held then is metered"));
    ++facts_.changed;
  }
  seen_.add(file);
  if (waits != waiting_.end()) *waits = file;  // to be found when it is read
  else keep_done(file);
  return true;
}

void GrowingFolder::keep_done(const SeenFile& file) {
  const std::lock_guard lock(mutex_);
  if (is_pause_wanted_ && file.first_ns) done_.push_back(file);
}

void GrowingFolder::claimed(FolderRound& round, bool last) {
  looks_.fetch_add(1, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  if (last) round.is_claimed = true;
  else ++round.claimed;
  if (round.is_claimed && round.claimed == round.committed) finish(round);
}

void GrowingFolder::committed(FolderRound& round, std::int64_t latest_ns) {
  const std::lock_guard lock(mutex_);
  if (round.committed++ == 0) note_time(round);
  has_given(latest_ns);
  if (round.is_claimed && round.claimed == round.committed) finish(round);
}

void GrowingFolder::has_given(std::int64_t latest_ns) {
  std::int64_t before = latest_ns_.load(std::memory_order_relaxed);
  while (before < latest_ns && !latest_ns_.compare_exchange_weak(before, latest_ns, std::memory_order_relaxed)) {
  }
}

// All of it is committed.
void GrowingFolder::finish(FolderRound& round) {
  const Trace& trace = *round.trace;
  tell_damage(trace);
  tell_unreadable(trace);
  for (SeenFile& file : round.files) {
    look_at_fate(file, trace);
    if (file.fate == Fate::not_read) {
      vanished_.push_back(file);
    } else if (halt_ && !options_.whole_rounds) {
      ++facts_.left;  // perhaps in part only
    } else {
      ++facts_.files;
      if (is_pause_wanted_) done_.push_back(file);
    }
  }
  facts_.clamped_times += trace.clamped_times();
  facts_.time_runs_back_count += trace.time_order().count();
  for (const ClockRegression& back : trace.time_order().kept()) {
    if (facts_.time_runs_back.size() < TimeOrder::kMostKept) facts_.time_runs_back.push_back(back);
  }
  round.trace.reset();
  --unfinished_;
}

void GrowingFolder::look_at_fate(SeenFile& file, const Trace& trace) const {
  const std::string path = path_of(file);
  for (const Damage& damage : trace.damage()) {
    if (damage.file == path) file.fate = Fate::damaged;
  }
  if (file.fate == Fate::not_read) return;
  for (const UnreadableFile& unreadable : trace.unreadable()) {
    if (unreadable.file == path) file.fate = unreadable.is_gone ? Fate::not_read : Fate::damaged;
  }
}

// Does the time of the trace run back from the round before to this one?
void GrowingFolder::note_time(const FolderRound& round) {
  const SeenFile& first = round.files.front();
  const std::int64_t before_ns = latest_ns();
  const bool any_before = !last_file_.empty() && before_ns != INT64_MIN;  // files may hold no packets
  if (any_before && first.first_ns && *first.first_ns < before_ns - TimeOrder::kMuch) {
    ++facts_.time_runs_back_count;
    if (facts_.time_runs_back.size() < TimeOrder::kMostKept) {
      facts_.time_runs_back.push_back({last_file_, path_of(first), before_ns - *first.first_ns});
    }
  }
  last_file_ = path_of(round.files.back());
}

void GrowingFolder::tell_unreadable(const std::string& message) {
  options_.warn(message);
  if (facts_.unreadable.size() < kMostKept) facts_.unreadable.push_back(message);
  else ++facts_.unreadable_beyond;
}

// But for files whose packer was quicker: what they were packed to has their packets.
void GrowingFolder::tell_unreadable(const Trace& trace) {
  std::set<std::string_view> packed;
  for (const UnreadableFile& file : trace.unreadable()) {
    const std::string name = file.file.substr(path_.size() + 1);
    if (file.is_gone && is_packed_by_now(folder_.descriptor(), name)) packed.insert(file.message);
  }
  for (const std::string& message : trace.findings().unreadable) {
    if (!packed.contains(message)) tell_unreadable(message);
  }
}

void GrowingFolder::tell_damage(const Trace& trace) {
  const TraceFindings found = trace.findings();
  for (const std::string& line : warnings_of(found.damage, found.skips, found.odd_fractions, "metered")) {
    options_.warn(line);
  }
  std::set<std::string_view> files;
  for (const Damage& damage : found.damage) {
    files.insert(damage.file);
    if (facts_.damage.size() < kMostKept) facts_.damage.push_back(damage);
    else ++facts_.damage_beyond;
  }
  facts_.damaged += files.size();
  facts_.skips.add(found.skips);
  for (const OddFractions& odd : found.odd_fractions) {
    if (facts_.odd_fractions.size() < kMostKept) facts_.odd_fractions.push_back(odd);
  }
}

FolderFacts GrowingFolder::facts() const {
  FolderFacts facts = facts_;
  facts.being_written = folder_.being_written();
  facts.left += waiting_.size();
  return facts;
}

}  // namespace warpmeter::inline packet
