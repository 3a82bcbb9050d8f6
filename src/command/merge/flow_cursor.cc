#include "command/merge/flow_cursor.h"

#include <utility>

#include "flow/runs/waiting_record.h"

namespace warpmeter::inline command {

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
  WaitingRecord waiting{.record = record, .is_reverse = reverse};
  waiting.record.arrival = number;
  return as_partial(waiting);
}

}  // namespace

std::shared_ptr<const RunFile> write_run(FlowCursor& flows, const std::string& folder) {
  RunWriter writer(folder, interval_order);
  std::uint64_t number = 0;
  for (; flows.head(); flows.advance()) {
    const Biflow& flow = *flows.head();
    writer.write(numbered(flow.forward, ++number, false));
    if (flow.has_reverse) writer.write(numbered(flow.reverse, ++number, true));
  }
  return std::make_shared<const RunFile>(writer.finish());
}

RunFlows::RunFlows(std::shared_ptr<const RunFile> file) : reader_(file, 0, file->size()) { advance(); }

void RunFlows::advance() {
  head_ = nullptr;
  if (!reader_.head()) return;
  flow_ = {};
  flow_.forward = *reader_.head();
  reader_.advance();
  if (reader_.head() && is_reverse(*reader_.head())) {
    flow_.reverse = *reader_.head();
    flow_.has_reverse = true;
    reader_.advance();
  }
  head_ = &flow_;
}

}  // namespace warpmeter::inline command
