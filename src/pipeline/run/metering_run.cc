#include "pipeline/run/metering_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/threads/in_threads.h"
#include "base/threads/sequencer.h"
#include "base/words/human_units.h"
#include "core/annotations.h"
#include "core/biflow_key.h"
#include "flow/runs/annotation_parts.h"
#include "flow/runs/join.h"
#include "flow/runs/record_cursors.h"
#include "flow/runs/run_store.h"
#include "flow/runs/sorted_runs.h"
#include "packet/file/capture_links.h"
#include "pipeline/metering/metering_work.h"
#include "policy/rounds/policy_notes.h"
#include "warpmeter/columns.h"

namespace warpmeter::inline pipeline {
namespace {

// Ranges are small, so that threads seldom wait for each other, but large enough for each run file that to find its
// place there (some twenty reads) costs next to nothing.
constexpr std::uint64_t kPartialsPerRange = 4 << 10;
constexpr std::uint64_t kPartialsPerFile = 256;

// A section that has grown too large waits for its turn and goes out: keys with very many flows are not cut. All
// sections together may take this share of --memory, which flow states no longer need.
constexpr std::uint64_t kSectionShare = 8;
constexpr std::uint64_t kLeastSection = 1 << 20, kMostSection = 16 << 20;

std::size_t ranges_for(const SortedRuns& runs) {
  return runs.size() / std::max(kPartialsPerRange, kPartialsPerFile * runs.files()) + 1;
}

class OrderedExport {
 public:
  OrderedExport(std::unique_ptr<SortedRuns> runs, const ExtractOptions& options, RecordWriter& output)
      : runs_(std::move(runs)),
        options_(options),
        order_within_key_(run_store_options(options)),
        output_(output),
        threads_(has_few_descriptors() ? 1 : std::max(options.threads, 1u)),
        most_section_(std::clamp(options.memory / kSectionShare / threads_, kLeastSection, kMostSection)),
        ranges_(runs_->cut(ranges_for(*runs_))),
        has_annotations_(has_annotations(options.output.extra_columns)) {
    order_within_key_.order = options.biflow && !options.aggregate ? biflow_output_order : output_order;
  }

  ExportedRecords run() {
    output_.begin();
    in_threads(
        static_cast<unsigned>(std::min<std::size_t>(threads_, ranges_.size())), [this](unsigned) { work(); },
        [this] { sequencer_.fail(); });
    output_.end();
    return exported_;
  }

 private:
  void work() {
    const std::unique_ptr<RecordSection> section = output_.format().new_section();
    for (std::size_t i = next_++; i < ranges_.size(); i = next_++) {
      if (!export_range(i, *section)) return;
    }
  }

  bool export_range(std::size_t i, RecordSection& section) {
    ExportedRecords exported;
    auto joined = std::make_unique<Join>(runs_->in(ranges_[i]), options_.meter.timeouts);
    const Join& join = *joined;
    std::unique_ptr<RecordCursor> records = flow_records(std::move(joined));
    const AnnotatedRecords* annotated = nullptr;
    if (has_annotations_) {
      auto with = std::make_unique<AnnotatedRecords>(std::move(records), kLabelsColumn);
      annotated = with.get();
      records = std::move(with);
    }
    for (; records->head(); records->advance()) {
      if (annotated) section.write_annotated(*records->head(), records->reverse(), annotated->annotations());
      else section.write(*records->head(), records->reverse());
      add_counters(exported.totals, *records->head());
      if (records->reverse()) add_counters(exported.totals, *records->reverse());
      ++exported.rows;
      if (section.bytes() < most_section_) continue;
      if (!sequencer_.wait_for(i)) return false;
      output_.append(section);
    }
    exported.join = join.counters();
    if (annotated) exported.labels_cut = annotated->cut();
    if (!sequencer_.wait_for(i)) return false;
    output_.append(section);
    exported_.add(exported);
    sequencer_.end();
    return true;
  }

  // Whole flows sorted within a key, perhaps aggregated, the two directions perhaps paired.
  std::unique_ptr<RecordCursor> flow_records(std::unique_ptr<RecordCursor> joined) const {
    std::unique_ptr<RecordCursor> records = std::make_unique<OutputOrder>(std::move(joined), order_within_key_);
    if (options_.aggregate) records = std::make_unique<Aggregate>(std::move(records));
    if (options_.biflow) {
      records = std::make_unique<Biflows>(std::move(records), options_.aggregate ? 0 : options_.meter.timeouts.idle_ns);
    }
    return records;
  }

  const std::unique_ptr<SortedRuns> runs_;
  const ExtractOptions& options_;
  RunStoreOptions order_within_key_;
  RecordWriter& output_;
  const unsigned threads_;
  const std::uint64_t most_section_;
  const std::vector<KeyRange> ranges_;
  const bool has_annotations_;  // only then are there any in the runs
  std::atomic<std::size_t> next_ = 0;
  Sequencer sequencer_;
  ExportedRecords exported_;  // by the thread whose turn it is
};

}  // namespace

void ExportedRecords::add(const ExportedRecords& other) {
  rows += other.rows;
  labels_cut += other.labels_cut;
  add_counters(totals, other.totals);
  join.add(other.join);
}

ExportedRecords export_in_order(RunStore& runs, const ExtractOptions& options, RecordWriter& output) {
  return OrderedExport(runs.sorted(options.threads), options, output).run();
}

OutputOptions output_options_of_run(const ExtractOptions& options, FilesInUse& in_use,
                                    const std::atomic<bool>& interrupted) {
  OutputOptions output = options.output;
  const auto complete = [&](OutputOptions& one) {
    one.in_use = &in_use;
    one.interrupted = &interrupted;
    one.gives_up = options.output.gives_up;
    one.tmpdir = options.tmpdir;
    one.waiting_memory = run_store_options(options).memory_limit;
  };
  complete(output);
  std::ranges::for_each(output.also, complete);
  if (output.collector) {
    output.collector->interrupted = [&interrupted] { return interrupted.load(); };
    output.collector->gives_up = options.output.gives_up;
    output.collector->warn = [&options](const std::string& text) { warn_of(options, text); };
  }
  return output;
}

std::vector<std::string> left_out_by(const PacketFilter* filter) {
  std::vector<std::string> lines;
  if (!filter) return lines;
  for (const std::uint16_t link : filter->links_missed()) {
    lines.push_back(fmt::format("link type {}: {}; its packets are left out", link_name(link), filter->refusal(link)));
  }
  return lines;
}

RecordLayout layout_of_run(const ExtractOptions& options) {
  const RecordLayout layout{.vlan = options.key_vlan,
                            .biflow = options.biflow,
                            .absent = not_counted_by(options.meter.method),
                            .extra = options.output.extra_columns,
                            .sample_one_in = options.sample.one_in};
  return with_times(layout, options.output.times);
}

ExportedRecords export_all(const ExtractOptions& options, MeteringWork& work, RecordOutput& output) {
  const StageClock::Scope scope(work.clock(), Stage::merge_and_export);
  return export_in_order(work.runs(), options, output);
}

void sum_up(const ExtractOptions& options, MeteringWork& work, const RecordOutput& output,
            const ExportedRecords& exported, Summary& s) {
  s.rows = exported.rows;
  s.labels_cut = exported.labels_cut;
  s.totals = exported.totals;
  s.join = exported.join;
  s.exported = output.export_report();
  s.left_over = output.left_over();
  s.outputs = output.losses();
  s.backend = work.backend().name;
  s.backend_reason = work.backend().reason;
  s.is_backend_remark = work.backend().is_remark;
  s.threads = options.threads;
  s.method = options.meter.method;
  s.block = work.metering().block();
  s.sample_one_in = options.sample.one_in;
  s.decode = work.metering().decode_counters();
  s.meter = work.metering().meter_counters();
  if (options.policy.policy) {
    s.policy = work.metering().policy_counters();
    s.decode.metered -= s.policy->dropped;
  }
  s.runs_written = work.runs().runs_written();
  s.bytes_read = work.bytes_read();
  s.stages = work.stages();
}

RunReport report_of(const Summary& s, const ExtractOptions& options) {
  std::vector<std::string> lines;
  const bool told_before = s.is_told || !s.points.empty();  // where packets are observed tells of it itself
  if (!told_before) lines = reading_warnings(s, "in the output");
  if (s.labels_cut) {
    lines.push_back(fmt::format("{} with more than {} labels; the first of these are in the output",
                                human_number_of(s.labels_cut, "flow record"), kMostTexts));
  }
  if (s.exported && !s.exported->problem.empty()) lines.push_back(s.exported->problem);
  for (const auto* const more : {&s.left_out, &s.unread, &s.left_over}) {
    lines.insert(lines.end(), more->begin(), more->end());
  }
  return {summary_json(s), std::move(lines), summary_text(s, options.stages, options.verbose)};
}

}  // namespace warpmeter::inline pipeline
