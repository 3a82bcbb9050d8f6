#include "show/show.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "core/human_units.h"
#include "export/output_file.h"
#include "input/flow_files.h"
#include "program/files_in_use.h"
#include "program/messages.h"
#include "query/flow_sorter.h"
#include "query/sums.h"
#include "run/aggregate.h"
#include "run/record_cursor.h"
#include "show/flow_output.h"
#include "show/sum_output.h"
#include "warpmeter/columns.h"

namespace warpmeter {
namespace {

using Take = std::function<void(const Biflow&)>;

struct Shown {
  std::uint64_t matching = 0;
  FlowRecord totals;  // of those that match, both directions
  std::uint64_t rows = 0;
  std::uint64_t groups = 0;
};

// Flows sorted in memory, as the merge of run files would give them.
class SortedFlows : public RecordCursor {
 public:
  explicit SortedFlows(std::vector<FlowRecord> flows) : flows_(std::move(flows)) {
    std::sort(flows_.begin(), flows_.end(),
              [](const FlowRecord& a, const FlowRecord& b) { return output_order(a, b) < 0; });
    head_ = flows_.empty() ? nullptr : flows_.data();
  }
  void advance() override { head_ = ++at_ < flows_.size() ? &flows_[at_] : nullptr; }

 private:
  std::vector<FlowRecord> flows_;
  std::size_t at_ = 0;
};

void read_matching(FlowFiles& files, const ShowOptions& o, Shown& shown, const Take& take) {
  Biflow flow;
  while (files.next(flow)) {
    if (o.filter && !o.filter->matches(flow)) continue;
    ++shown.matching;
    add_counters(shown.totals, flow.forward);
    if (flow.has_reverse) add_counters(shown.totals, flow.reverse);
    take(flow);
  }
}

// The directions of biflows are flows of their own here.
void aggregate(FlowFiles& files, const ShowOptions& o, Shown& shown, const Take& take) {
  std::vector<FlowRecord> flows;
  read_matching(files, o, shown, [&](const Biflow& flow) {
    flows.push_back(flow.forward);
    if (flow.has_reverse) flows.push_back(flow.reverse);
  });
  Aggregate whole(std::make_unique<SortedFlows>(std::move(flows)));
  Biflow flow;
  for (; whole.head(); whole.advance()) {
    flow.forward = *whole.head();
    if (!o.having_flows || o.having_flows->matches(flow)) take(flow);
  }
}

void for_each_flow(FlowFiles& files, const ShowOptions& o, Shown& shown, const Take& take) {
  if (o.aggregate) return aggregate(files, o, shown, take);
  read_matching(files, o, shown, take);
}

void show_flows(FlowFiles& files, const ShowOptions& o, OutputFile& output, Shown& shown) {
  constexpr const char* kUsualOrder = "bytes";
  const std::unique_ptr<FlowOutput> rows = make_flow_output(o, output);
  const auto layout = [&] {
    RecordLayout of_output = files.layout();
    if (o.aggregate) of_output.biflow = false;
    return of_output;
  };
  const Take write = [&](const Biflow& flow) {
    rows->write(flow, layout());
    ++shown.rows;
  };
  if (o.sort.empty() && o.top == 0) {
    for_each_flow(files, o, shown, write);
  } else {
    FlowSorter sorter(SortOrder(o.sort.empty() ? kUsualOrder : o.sort, o.sort_option), o.top);
    for_each_flow(files, o, shown, [&](const Biflow& flow) { sorter.add(flow); });
    // From here on all flows have been read, and what they have in common is known.
    sorter.for_each_sorted(write);
  }
  rows->end(layout());
}

void show_sums(FlowFiles& files, const ShowOptions& o, OutputFile& output, Shown& shown) {
  constexpr const char* kUsualOrder = "bytes";
  SumOutput rows(o, output);
  Sums sums(o.sum_keys, o.sort.empty() ? kUsualOrder : o.sort, o.sort_option);
  for_each_flow(files, o, shown, [&](const Biflow& flow) {
    sums.add(flow.forward);
    if (flow.has_reverse) sums.add(flow.reverse);
  });
  const std::vector<const SumRow*> sorted =
      sums.sorted(o.top, [&](const SumRow& row) { return !o.having || o.having->matches(row); });
  rows.write(sorted);
  shown.rows = sorted.size();
  shown.groups = sums.groups();
}

void report(const FlowFiles& files, const ShowOptions& o, const Shown& shown, bool interrupted) {
  for (const DamagedFile& d : files.damage()) {
    warn(fmt::format("{}: damaged at byte {}: {}; what came before is in the output", d.name, d.damage.offset,
                     d.damage.reason));
  }
  for (const std::string& message : files.unreadable()) warn(message);
  if (o.quiet) return;
  const FlowRecord& t = shown.totals;
  std::string text = fmt::format("{} of {} flows", shown.matching, files.flows());
  text += fmt::format(": {} packets, {}", human_count(static_cast<double>(t.packets)),
                      human_bytes(static_cast<double>(t.bytes)));
  text += fmt::format(", {} segments retransmitted", t.retransmitted_segments);
  if (t.data_segments) {
    text += fmt::format(" ({:.2f}%)",
                        100 * static_cast<double>(t.retransmitted_segments) / static_cast<double>(t.data_segments));
  }
  if (!o.sum_keys.empty()) text += fmt::format("; {} of {} sums shown", shown.rows, shown.groups);
  else if (shown.rows != shown.matching) text += fmt::format("; {} shown", shown.rows);
  if (files.worth_telling()) text += "; " + files.told();
  if (interrupted)
    text += files.read_all() ? "; interrupted when all was read" : "; interrupted, the rest was not read";
  say(fmt::format("  {}\n", text));
}

}  // namespace

ExitStatus show(const ShowOptions& options, const std::atomic<bool>& interrupted) {
  RecordInputs inputs = expand_record_inputs(options.files, options.recursive, interrupted);
  FilesInUse in_use(inputs.files);
  FlowFiles files(std::move(inputs), interrupted);
  in_use.claim(options.output.file);
  OutputFile output(options.output.file, &interrupted);
  output.pack(options.output.packing, options.output.threads);
  Shown shown;
  if (options.sum_keys.empty()) show_flows(files, options, output, shown);
  else show_sums(files, options, output, shown);
  output.commit();
  // The output is complete and under its name.
  const bool early = interrupted;
  report(files, options, shown, early);
  if (early) return ExitStatus::interrupted;
  return files.damage().empty() && files.unreadable().empty() ? ExitStatus::ok : ExitStatus::damaged;
}

}  // namespace warpmeter
