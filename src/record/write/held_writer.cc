#include "record/write/held_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/program/messages.h"
#include "core/record_writer.h"
#include "flow/runs/annotation_parts.h"
#include "record/write/output_format.h"
#include "record/write/rotated_file.h"
#include "warpmeter/status.h"

namespace warpmeter::inline record {
namespace {

constexpr std::size_t kHeldChunk = 256;  // Flow Records
constexpr std::int64_t kWholeSecond = 1'000'000'000;

std::int64_t clock_ns() {
  return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Until there are no more, or `is_full` says so. What it throws is of the runs, or of the file.
template <class IsFull>
void write_records(const SortedRuns* records, RecordWriter& file, IsFull is_full) {
  if (!records) return;
  RecordStream stream(file);
  const std::unique_ptr<PartialCursor> next = records->in({});
  while (next->head() && !is_full()) {
    const FlowRecord record = *next->head();
    Annotations annotations;
    for (next->advance(); next->head() && is_annotation(*next->head()); next->advance()) {
      add_part(annotations, *next->head());
    }
    stream.write_annotated(record, nullptr, annotations);
  }
  stream.flush();
}

// Runs that cannot be read are no reason to lose what was. `why`: the runs have not all, if that is so.
void keep_records(const SortedRuns* records, const RecordSums& all, std::string why, KeptFile& file) {
  try {
    write_records(records, file, [&file] { return file.is_full(); });
  } catch (const Error& error) {
    why = error.what();
  }
  file.was_to_hold(all, why);
}

}  // namespace

HeldWriter::HeldWriter(const OutputOptions& options, const RecordLayout& layout, std::function<std::int64_t()> now,
                       OutputLoss* loss)
    : options_(options),
      format_(make_file_format(options, layout)),
      now_(now ? std::move(now) : clock_ns),
      loss_(loss),
      start_ns_(beginning_of_interval(now_(), kWholeSecond)) {
  if (options.rotate_ns) {
    try_rotated_file(options_);
    return;
  }
  auto file = std::make_unique<FileWriter>(options.file, options_, format_);
  if (!loss) {
    whole_ = std::move(file);
    return;
  }
  auto kept = std::make_unique<KeptFile>(
      format_, [&file] { return std::move(file); }, *loss);
  kept_whole_ = kept.get();
  whole_ = std::move(kept);
}

void HeldWriter::begin_interval() {
  interval_ns_ = options_.rotate_ns ? beginning_of_interval(now_(), options_.rotate_ns) : 0;
  waiting_ = std::make_unique<RunStore>(RunStoreOptions{options_.tmpdir, output_order, options_.waiting_memory});
}

void HeldWriter::write_annotated(const FlowRecord& record, const FlowRecord*, const Annotations& annotations) {
  if (interval_ns_ == INT64_MIN) begin_interval();
  sums_.add(record);
  if (!no_room_.empty()) return;
  if (chunk_.capacity() == 0) chunk_.reserve(kHeldChunk);
  chunk_.push_back(whole(record));
  append_behind(chunk_, record, annotations);
  if (chunk_.size() >= kHeldChunk) hold(std::exchange(chunk_, {}));
}

// What the folder has no room for stays in memory, which must not grow.
void HeldWriter::hold(PartialChunk chunk) {
  try {
    waiting_->add(std::move(chunk));
  } catch (const Error& error) {
    if (!loss_) throw;
    if (!std::exchange(told_, true)) {
      warn(fmt::format("{}; {}", error.what(),
                       whole_ ? "what comes from now on is lost for " + options_.file
                              : "files of " + options_.file + " are written before their intervals are over"));
    }
    if (!whole_) return end_interval();
    no_room_ = error.what();
  }
}

void HeldWriter::flush() {
  if (!options_.rotate_ns) return;
  write_ended();
  if (interval_ns_ == INT64_MIN) return;
  const std::int64_t now = beginning_of_interval(now_(), options_.rotate_ns);
  if (options_.named_later || now != interval_ns_) end_interval();
}

void HeldWriter::rotate() {
  if (options_.rotate_ns && interval_ns_ != INT64_MIN) end_interval();
}

HeldWriter::Interval HeldWriter::taken_interval() {
  Interval interval{whole_ ? "" : interval_name(std::max(interval_ns_, start_ns_)), std::exchange(sums_, {}), nullptr};
  interval_ns_ = INT64_MIN;
  if (!waiting_) return interval;
  if (!chunk_.empty()) waiting_->add_last(std::exchange(chunk_, {}));
  interval.records = waiting_->sorted(1);
  waiting_.reset();
  return interval;
}

std::unique_ptr<FileWriter> HeldWriter::open_file(const std::string& interval) const {
  if (!options_.named_later) return open_rotated_file(free_middle(interval, options_), options_, format_);
  make_date_folders(interval, options_);
  const RotatedName name = rotated_in_two(interval, options_);
  auto file =
      std::make_unique<FileWriter>(options_.named_later->add(name.before, name.behind).hidden, options_, format_);
  file->begin();
  return file;
}

void HeldWriter::write_file(const Interval& interval) const {
  const auto open = [&] { return open_file(interval.name); };
  if (loss_) {
    KeptFile file(format_, open, *loss_);
    keep_records(interval.records.get(), interval.sums, "", file);
    return file.end();
  }
  try {
    const std::unique_ptr<FileWriter> file = open();
    write_records(interval.records.get(), *file, [] { return false; });
    file->end();
  } catch (...) {
    if (options_.named_later) options_.named_later->take_back();
    throw;
  }
}

void HeldWriter::write_ended() {
  for (; !ended_.empty(); ended_.erase(ended_.begin())) write_file(ended_.front());
}

void HeldWriter::end_interval() {
  ended_.push_back(taken_interval());
  write_ended();
}

void HeldWriter::finish() {
  if (finished_) return;
  if (!whole_) {
    write_ended();
    if (interval_ns_ != INT64_MIN) end_interval();
  } else {
    const Interval all = taken_interval();
    whole_->begin();
    if (kept_whole_) keep_records(all.records.get(), all.sums, no_room_, *kept_whole_);
    else write_records(all.records.get(), *whole_, [] { return false; });
    whole_->finish();
  }
  finished_ = true;
}

void HeldWriter::name() {
  finish();
  if (whole_) whole_->name();
}

void HeldWriter::take_back() {
  if (whole_) whole_->take_back();
}

void HeldWriter::end() {
  finish();
  if (whole_) whole_->end();
}

}  // namespace warpmeter::inline record
