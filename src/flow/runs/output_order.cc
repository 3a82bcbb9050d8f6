#include "flow/runs/output_order.h"

#include <algorithm>
#include <utility>

#include "core/biflow_key.h"

namespace warpmeter::inline flow {
namespace {

constexpr std::size_t kMany = 1024;

}  // namespace

OutputOrder::OutputOrder(std::unique_ptr<RecordCursor> flows, RunStoreOptions options)
    : flows_(std::move(flows)), options_(std::move(options)) {
  next_key();
}

void OutputOrder::advance() {
  if (many_) {
    many_->advance();
    head_ = many_->head();
    if (head_) return;
    many_.reset();
  } else if (++at_ < few_.size()) {
    head_ = &few_[at_];
    return;
  }
  next_key();
}

void OutputOrder::next_key() {
  few_.clear();
  at_ = 0;
  head_ = nullptr;
  if (!flows_->head()) return;
  const std::size_t most = std::max<std::size_t>(options_.memory_limit / sizeof(Partial), 1);
  std::unique_ptr<RunStore> store;
  const bool both = options_.order == biflow_output_order;
  const FlowKey key = flows_->head()->key, other = both ? reversed(key) : key;
  const auto belongs = [&](const FlowRecord& flow) { return flow.key == key || (both && flow.key == other); };
  for (; flows_->head() && belongs(*flows_->head()); flows_->advance()) {
    if (few_.size() == most) {
      if (!store) store = std::make_unique<RunStore>(options_);
      store->add(std::exchange(few_, {}));
    }
    // Many grow in long steps: memory that was never used costs less than to move all of them often.
    if (few_.size() == few_.capacity() && few_.size() >= kMany) few_.reserve(std::min(most, 8 * few_.size()));
    few_.push_back(whole(*flows_->head()));
  }
  if (store) {
    store->add(std::exchange(few_, {}));
    many_ = store->sorted(1)->in({});
    head_ = many_->head();
  } else {
    if (few_.size() > 1) sort_few();
    head_ = few_.data();
  }
}

void OutputOrder::sort_few() {
  const auto before = [](const FlowRecord& a, const FlowRecord& b) { return time_order(a, b) < 0; };
  if (!std::is_sorted(few_.begin(), few_.end(), before)) std::sort(few_.begin(), few_.end(), before);
}

}  // namespace warpmeter::inline flow
