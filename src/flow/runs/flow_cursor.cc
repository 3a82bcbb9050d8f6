#include "flow/runs/flow_cursor.h"

#include <utility>

#include "flow/runs/annotation_parts.h"
#include "flow/runs/waiting_record.h"

namespace warpmeter::inline flow {

MergedFlows::MergedFlows(std::vector<std::unique_ptr<FlowCursor>> flows, const MergeOrder& order)
    : heap_(Before{order}) {
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (flows[i]->head()) heap_.add({std::move(flows[i]), i});
  }
  show_first();
}

void MergedFlows::advance() {
  FlowCursor& taken = *heap_.first().flows;
  taken.advance();
  if (taken.head()) heap_.first_changed();
  else heap_.drop_first();
  show_first();
}

namespace {

// In the order of their numbers: they all wait for one interval (interval_order).
Partial numbered(const FlowRecord& record, std::uint64_t number, bool reverse) {
  return as_partial({.record = record, .place = waiting_place(number, reverse)});
}

}  // namespace

std::shared_ptr<const RunFile> write_run(FlowCursor& flows, const std::string& folder) {
  RunWriter writer(folder, interval_order);
  std::uint64_t number = 0;
  std::vector<Partial> parts;
  for (; flows.head(); flows.advance()) {
    const Biflow& flow = *flows.head();
    writer.write(numbered(flow.forward, ++number, false));
    if (flow.has_reverse) writer.write(numbered(flow.reverse, ++number, true));
    if (flows.annotations().empty()) continue;
    parts.clear();
    append_behind(parts, flow.forward, flows.annotations());
    for (const Partial& part : parts) writer.write(numbered(part, ++number, false));
  }
  return std::make_shared<const RunFile>(writer.finish());
}

RunFlows::RunFlows(std::shared_ptr<const RunFile> file) : reader_(file, 0, file->size()) {
  annotations_ = &noted_;
  advance();
}

void RunFlows::advance() {
  head_ = nullptr;
  noted_.clear();
  if (!reader_.head()) return;
  flow_ = {};
  flow_.forward = *reader_.head();
  reader_.advance();
  if (reader_.head() && is_reverse(*reader_.head())) {
    flow_.reverse = *reader_.head();
    flow_.has_reverse = true;
    reader_.advance();
  }
  for (; reader_.head() && is_annotation(*reader_.head()); reader_.advance()) add_part(noted_, *reader_.head());
  head_ = &flow_;
}

std::unique_ptr<FlowCursor> merged_runs(const std::vector<std::shared_ptr<const RunFile>>& runs,
                                        const MergeOrder& order) {
  std::vector<std::unique_ptr<FlowCursor>> flows;
  for (const auto& run : runs) flows.push_back(std::make_unique<RunFlows>(run));
  return std::make_unique<MergedFlows>(std::move(flows), order);
}

}  // namespace warpmeter::inline flow
