#include "record/write/interval_writer.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/record_writer.h"
#include "flow/runs/annotation_parts.h"
#include "flow/runs/waiting_record.h"
#include "record/write/kept_file.h"
#include "record/write/output_format.h"
#include "record/write/rotated_file.h"

namespace warpmeter::inline record {
namespace {

constexpr std::size_t kChunk = 256;  // Flow Records

}  // namespace

IntervalWriter::IntervalWriter(const OutputOptions& options, const RecordLayout& layout, OutputLoss* loss)
    : options_(options),
      format_(make_file_format(options, layout)),
      loss_(loss),
      waiting_({options.tmpdir, interval_order, options.waiting_memory}) {
  try_rotated_file(options_);
}

void IntervalWriter::hold(const FlowRecord& record, std::int64_t interval_ns, bool reverse) {
  chunk_.push_back(as_partial({record, interval_ns, waiting_place(count_++, reverse)}));
}

void IntervalWriter::hold(const Annotations& annotations, const FlowRecord& flow, std::int64_t interval_ns) {
  PartialChunk parts;
  append_behind(parts, flow, annotations);
  for (const Partial& part : parts) {
    chunk_.push_back(as_partial({part, interval_ns, waiting_place(count_++, false)}));
  }
}

void IntervalWriter::write_annotated(const FlowRecord& record, const FlowRecord* reverse,
                                     const Annotations& annotations) {
  if (chunk_.capacity() == 0) chunk_.reserve(kChunk);
  const std::int64_t end_ns = reverse ? std::max(record.end_ns, reverse->end_ns) : record.end_ns;
  const std::int64_t interval = beginning_of_interval(end_ns, options_.rotate_ns);
  hold(record, interval, false);
  if (reverse) hold(*reverse, interval, true);
  hold(annotations, record, interval);
  if (chunk_.size() + 2 > kChunk) waiting_.add(std::exchange(chunk_, {}));
}

void IntervalWriter::write_file(PartialCursor& records) const {
  const std::string name = interval_name(interval_of(*records.head()));
  const std::string middle = options_.beside_earlier ? free_middle(name, options_) : name;
  const auto open = [&] { return open_rotated_file(middle, options_, format_); };
  if (loss_) {
    KeptFile file(format_, open, *loss_);
    write_records(records, file);
    return file.end();
  }
  const std::unique_ptr<FileWriter> file = open();
  write_records(records, *file);
  file->end();
}

void IntervalWriter::write_records(PartialCursor& records, RecordWriter& file) {
  const std::int64_t interval = interval_of(*records.head());
  RecordStream stream(file);
  while (records.head() && interval_of(*records.head()) == interval) {
    const FlowRecord record = *records.head();
    records.advance();
    FlowRecord reverse;
    const bool paired = records.head() && is_reverse(*records.head());
    if (paired) {
      reverse = *records.head();
      records.advance();
    }
    Annotations annotations;
    for (; records.head() && is_annotation(*records.head()); records.advance()) add_part(annotations, *records.head());
    stream.write_annotated(record, paired ? &reverse : nullptr, annotations);
  }
  stream.flush();
}

void IntervalWriter::write_files(PartialCursor& records) const {
  if (!records.head() && !options_.beside_earlier) open_rotated_file("empty", options_, format_)->end();
  while (records.head()) write_file(records);
}

void IntervalWriter::finish() {
  if (std::exchange(finished_, true)) return;
  if (!chunk_.empty()) waiting_.add(std::exchange(chunk_, {}));
  write_files(*waiting_.sorted(1)->in({}));
}

}  // namespace warpmeter::inline record
