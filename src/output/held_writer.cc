#include "output/held_writer.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/record_stream.h"
#include "output/interval_name.h"
#include "output/output_format.h"
#include "output/rotated_file.h"

namespace warpmeter {
namespace {

constexpr std::size_t kHeldChunk = 256;  // Flow Records
constexpr std::int64_t kWholeSecond = 1'000'000'000;

std::int64_t clock_ns() {
  return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

HeldWriter::HeldWriter(const OutputOptions& options, const RecordLayout& layout, std::function<std::int64_t()> now)
    : options_(options),
      format_(make_file_format(options, layout)),
      now_(now ? std::move(now) : clock_ns),
      start_ns_(beginning_of_interval(now_(), kWholeSecond)) {
  if (options.rotate_ns) try_rotated_file(options_);
  else whole_ = std::make_unique<FileWriter>(options.file, options_, format_);
}

void HeldWriter::write(const FlowRecord& record, const FlowRecord*) {
  if (interval_ns_ == INT64_MIN) {
    interval_ns_ = options_.rotate_ns ? beginning_of_interval(now_(), options_.rotate_ns) : 0;
    waiting_ = std::make_unique<RunStore>(RunStoreOptions{options_.tmpdir, output_order, options_.waiting_memory});
  }
  if (chunk_.capacity() == 0) chunk_.reserve(kHeldChunk);
  chunk_.push_back(whole(record));
  if (chunk_.size() == kHeldChunk) waiting_->add(std::exchange(chunk_, {}));
}

void HeldWriter::flush() {
  if (!options_.rotate_ns || interval_ns_ == INT64_MIN) return;
  const std::int64_t now = beginning_of_interval(now_(), options_.rotate_ns);
  if (options_.named_later || now != interval_ns_) end_interval();
}

void HeldWriter::rotate() {
  if (options_.rotate_ns && interval_ns_ != INT64_MIN) end_interval();
}

void HeldWriter::write_held(FileWriter& file) {
  if (!waiting_) return;
  if (!chunk_.empty()) waiting_->add(std::exchange(chunk_, {}));
  const std::unique_ptr<SortedRuns> sorted = waiting_->sorted(1);
  RecordStream stream(file);
  const std::unique_ptr<PartialCursor> records = sorted->in({});
  for (; records->head(); records->advance()) stream.write(*records->head(), nullptr);
  stream.flush();
  waiting_.reset();
}

std::unique_ptr<FileWriter> HeldWriter::open_hidden_file(const std::string& middle) const {
  const RotatedName name = rotated_in_two(middle, options_);
  auto file =
      std::make_unique<FileWriter>(options_.named_later->add(name.before, name.behind).hidden, options_, format_);
  file->begin();
  return file;
}

void HeldWriter::end_interval() {
  const std::string name = interval_name(std::max(interval_ns_, start_ns_));
  const std::unique_ptr<FileWriter> file =
      options_.named_later ? open_hidden_file(name) : open_rotated_file(free_middle(name, options_), options_, format_);
  interval_ns_ = INT64_MIN;
  write_held(*file);
  file->end();
}

void HeldWriter::finish() {
  if (std::exchange(finished_, true)) return;
  if (!whole_) {
    if (interval_ns_ != INT64_MIN) end_interval();
    return;
  }
  whole_->begin();
  write_held(*whole_);
  whole_->finish();
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

}  // namespace warpmeter
