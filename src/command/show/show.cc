#include "command/show/show.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/query/sort_order.h"
#include "analysis/query/sums.h"
#include "base/files/output_file.h"
#include "base/program/files_in_use.h"
#include "base/program/messages.h"
#include "base/words/human_units.h"
#include "command/show/show_output.h"
#include "core/noted_columns.h"
#include "flow/runs/annotation_parts.h"
#include "flow/runs/cursors.h"
#include "flow/runs/record_cursors.h"
#include "packet/file/capture_reader.h"
#include "record/read/flow_files.h"
#include "warpmeter/columns.h"

namespace warpmeter::inline command {
namespace {

using Take = FlowSorter::Take;

// Flows sorted in memory, as the merge of run files would give them, but where times are alike in the order in which
// they were read: nobody knows which of several files came first. Annotations stay behind their flow.
class SortedFlows : public RecordCursor {
 public:
  explicit SortedFlows(std::vector<FlowRecord> flows) : flows_(std::move(flows)) {
    for (std::size_t i = 0; i < flows_.size(); ++i) {
      if (!is_annotation(flows_[i])) order_.push_back(i);
    }
    std::ranges::stable_sort(order_, [this](std::size_t a, std::size_t b) { return is_before(flows_[a], flows_[b]); });
    show_next();
  }
  void advance() override {
    if (++at_ < flows_.size() && is_annotation(flows_[at_])) head_ = &flows_[at_];
    else show_next();
  }

 private:
  static bool is_before(const FlowRecord& a, const FlowRecord& b) {
    if (const int order = compare(a.key, b.key)) return order < 0;
    return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns < b.end_ns;
  }
  void show_next() {
    head_ = nullptr;
    if (next_ == order_.size()) return;
    at_ = order_[next_++];
    head_ = &flows_[at_];
  }

  std::vector<FlowRecord> flows_;   // with their annotations behind them
  std::vector<std::size_t> order_;  // of those that are none
  std::size_t next_ = 0, at_ = 0;   // in order_, in flows_
};

void read_matching(FlowFiles& files, const ShowOptions& o, ShowSummary& shown, const Take& take) {
  Biflow flow;
  RecordProgress progress(files, o.progress);
  while (files.next(flow)) {
    progress.tick();
    const Annotations& noted = files.annotations();
    if (o.filter && !o.filter->matches(flow, noted)) continue;
    ++shown.matching;
    add_saturated(shown.totals, flow.forward);
    if (flow.has_reverse) add_saturated(shown.totals, flow.reverse);
    take(flow, noted);
  }
}

// The directions of biflows are flows of their own here.
void aggregate(FlowFiles& files, const ShowOptions& o, ShowSummary& shown, const Take& take) {
  std::vector<FlowRecord> flows;
  std::vector<Partial> parts;
  const auto add = [&](const FlowRecord& flow, const Annotations& noted) {
    flows.push_back(flow);
    if (noted.empty()) return;
    parts.clear();
    append_behind(parts, flow, noted);
    flows.insert(flows.end(), parts.begin(), parts.end());
  };
  OtherDirection other;
  read_matching(files, o, shown, [&](const Biflow& flow, const Annotations& noted) {
    if (!flow.has_reverse) return add(flow.forward, noted);
    add(flow.forward, noted.of_direction(false));
    add(flow.reverse, other.of(noted));
  });
  AnnotatedRecords whole(std::make_unique<Aggregate>(std::make_unique<SortedFlows>(std::move(flows))),
                         AnnotationNames::of_process().number(kLabelsName).value_or(0));
  Biflow flow;
  for (; whole.head(); whole.advance()) {
    flow.forward = *whole.head();
    if (!o.having_flows || o.having_flows->matches(flow, whole.annotations())) take(flow, whole.annotations());
  }
  shown.labels_cut = whole.cut();
}

void for_each_flow(FlowFiles& files, const ShowOptions& o, ShowSummary& shown, const Take& take) {
  if (o.aggregate) return aggregate(files, o, shown, take);
  read_matching(files, o, shown, take);
}

void show_flows(FlowFiles& files, const ShowOptions& o, OutputFile* output, ShowSummary& shown) {
  constexpr const char* kUsualOrder = "bytes";
  const std::unique_ptr<FlowOutput> rows = make_flow_output(o, files.layout().extra, output);
  const auto layout = [&] {
    RecordLayout of_output = files.layout();
    if (!o.aggregate) return of_output;
    of_output.biflow = false;
    std::erase_if(of_output.extra, [](const auto& column) { return column->is_reverse(); });
    return of_output;
  };
  const Take write = [&](const Biflow& flow, const Annotations& noted) {
    rows->write(flow, noted, layout());
    ++shown.rows;
  };
  if (o.sort.empty() && o.top == 0) {
    for_each_flow(files, o, shown, write);
  } else {
    FlowSorter sorter(SortOrder(o.sort.empty() ? kUsualOrder : o.sort, o.sort_option, files.layout().extra), o.top);
    for_each_flow(files, o, shown, [&](const Biflow& flow, const Annotations& noted) { sorter.add(flow, noted); });
    // From here on all flows have been read, and what they have in common is known.
    sorter.for_each_sorted(write);
  }
  rows->end(layout());
}

void show_sums(FlowFiles& files, const ShowOptions& o, OutputFile* output, ShowSummary& shown) {
  constexpr const char* kUsualOrder = "bytes";
  std::deque<SumOutput> outputs;  // which stay where they are
  if (output) outputs.emplace_back(o, file_target(o.output, *output));
  if (o.is_taken()) outputs.emplace_back(o, program_target(o));
  std::vector<SumColumn> asked = o.having ? o.having->columns() : std::vector<SumColumn>();
  for (const SumOutput& rows : outputs) asked.insert(asked.end(), rows.columns().begin(), rows.columns().end());
  // A series of times is read in its order.
  const SumKey& first = o.sum_keys.front();
  const std::string order = !o.sort.empty() ? o.sort : first.spreads() && o.top == 0 ? first.name() : kUsualOrder;
  Sums sums(o.sum_keys, order, o.sort_option, asked);
  for_each_flow(files, o, shown, [&](const Biflow& flow, const Annotations& noted) { sums.add(flow, noted); });
  const std::vector<const SumRow*> sorted = sums.sorted(
      o.top, [&](const SumRow& row) { return !o.having || o.having->matches(row); }, o.top_per);
  for (SumOutput& rows : outputs) rows.write(sorted);
  shown.rows = sorted.size();
  shown.groups = sums.groups();
}

// "'hots' is no column (near: host)", where the files have such a column; else the message as it is.
std::string with_near(const std::string& message, std::string_view name, const ExtraColumns& columns) {
  std::vector<std::string> names;
  for (const auto& column : columns) names.emplace_back(column->name());
  const std::vector<std::string> near = near_names(name, names);
  constexpr std::string_view kIsNo = "' is no ";
  const std::size_t what = message.rfind(kIsNo);
  if (near.empty() || what == std::string::npos) return message;
  const std::size_t end = message.find_first_of(" ;", what + kIsNo.size());
  return fmt::format("{} (near: {})", message.substr(0, end), fmt::join(near, ", "));
}

// Names that only columns of annotations can have, now that the files have told theirs.
void refuse_unknown_names(const FlowFiles& files, const ShowOptions& o) {
  const ExtraColumns& columns = files.layout().extra;
  const auto check = [&](std::string_view name, const std::string& message) {
    if (message.empty() || has_noted_column(columns, name)) return;
    throw Error(with_near(message, name, columns), ExitStatus::usage);
  };
  for (const std::optional<Filter>* filter : {&o.filter, &o.having_flows}) {
    if (!*filter) continue;
    for (const Doubt& doubt : (*filter)->doubts()) check(doubt.name, doubt.message);
  }
  for (const SumKey& key : o.sum_keys) check(key.name(), key.doubt());
}

ShowSummary show(FlowFiles& files, FilesInUse& in_use, const ShowOptions& options,
                 const std::atomic<bool>& interrupted) {
  std::optional<GeoDatabases> geo;
  if (!options.geo.empty()) files.locate(geo.emplace(options.geo));
  refuse_unknown_names(files, options);
  std::optional<OutputFile> output;
  if (!options.output.file.empty()) {
    in_use.claim(options.output.file);
    output.emplace(options.output.file, &interrupted, options.output.gives_up);
    output->pack(options.output.packing, options.output.threads);
  }
  ShowSummary shown;
  OutputFile* const file = output ? &*output : nullptr;
  if (options.sum_keys.empty()) show_flows(files, options, file, shown);
  else show_sums(files, options, file, shown);
  if (output) output->commit();
  // The output is complete and under its name.
  if (interrupted) shown.status = ExitStatus::interrupted;
  else if (!files.damage().empty() || !files.unreadable().empty()) shown.status = ExitStatus::damaged;
  shown.read = files.read();
  shown.read.lacks_biflows =
      options.filter && options.filter->is_of_biflows() && files.flows() && !files.layout().biflow;
  shown.read.labels_cut += shown.labels_cut;
  shown.absent = files.layout().absent;
  return shown;
}

std::string text_of(const ShowSummary& shown, const ShowOptions& o) {
  const FlowRecord& t = shown.totals;
  std::string text = fmt::format("{} of {}", shown.matching, human_number_of(shown.read.flows, "flow"));
  text += fmt::format(": {} packets, {}", human_count(static_cast<double>(t.packets)),
                      human_bytes(static_cast<double>(t.bytes)));
  text += ", " + human_number_of(t.retransmitted_segments, "segment") + " retransmitted";
  if (t.data_segments) {
    text += fmt::format(" ({:.2f}%)",
                        100 * static_cast<double>(t.retransmitted_segments) / static_cast<double>(t.data_segments));
  }
  if (shown.matching == 0 && shown.read.flows > 0 && o.filter && o.filter->counts_from_now()) {
    text += "; 'last' counts back from this machine's clock";
  }
  if (!o.sum_keys.empty()) text += fmt::format("; {} of {} sums shown", shown.rows, shown.groups);
  else if (shown.rows != shown.matching) text += fmt::format("; {} shown", shown.rows);
  if (!shown.read.told.empty()) text += "; " + shown.read.told;
  if (shown.status == ExitStatus::interrupted)
    text += shown.read.all ? "; interrupted when all was read" : "; interrupted, the rest was not read";
  return fmt::format("  {}\n", text);
}

}  // namespace

ExitStatus show(const ShowOptions& options, const std::atomic<bool>& interrupted) {
  const ShowSummary shown = show_and_sum_up(options, interrupted);
  for (const std::string& line : warnings_of(shown.read, "in the output")) warn(line);
  if (!options.quiet) say(text_of(shown, options));
  return shown.status;
}

ShowSummary show_and_sum_up(const ShowOptions& options, const std::atomic<bool>& interrupted) {
  RecordInputs inputs = expand_record_inputs(options.files, options.recursive, interrupted);
  std::vector<std::string> read = inputs.files;
  read.insert(read.end(), options.geo.begin(), options.geo.end());
  FilesInUse in_use(read, packets_in);
  FlowFiles files(std::move(inputs), interrupted);
  return show(files, in_use, options, interrupted);
}

ShowSummary show_from(std::unique_ptr<RecordReader> reader, std::string name, const ShowOptions& options,
                      const std::atomic<bool>& interrupted) {
  FilesInUse in_use(options.geo, packets_in);
  FlowFiles files(std::move(reader), std::move(name), interrupted);
  return show(files, in_use, options, interrupted);
}

}  // namespace warpmeter::inline command
