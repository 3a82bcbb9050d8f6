// Writers whose output is the program that takes the Flow Records.
#pragma once

#include <memory>

#include "app/library/flow_format.h"
#include "app/library/record_queue.h"
#include "core/record_writer.h"
#include "record/arrow/arrow_format.h"

namespace warpmeter {

// Flow Records as they are.
class FlowTaker : public RecordWriter {
 public:
  // `queue` must outlive it.
  FlowTaker(const RecordLayout& layout, RecordQueue& queue) : format_(layout), queue_(queue) {}

  const RecordFormat& format() const override { return format_; }
  void append(RecordSection& section) override {
    auto& flows = static_cast<FlowSection&>(section).flows;
    if (flows.empty()) return;
    auto taken = std::make_unique<TakenRecords>();
    taken->flows.swap(flows);
    queue_.push(std::move(taken));
  }
  void finish() override { queue_.check_wanted(); }  // before any output has its name

 private:
  const FlowFormat format_;
  RecordQueue& queue_;
};

// Their columns.
class ArrowTaker : public RecordWriter {
 public:
  // `queue` must outlive it.
  ArrowTaker(const RecordLayout& layout, RecordQueue& queue) : format_(layout), queue_(queue) {}

  const RecordFormat& format() const override { return format_; }
  void append(RecordSection& section) override {
    auto& columns = static_cast<ArrowSection&>(section);
    if (columns.rows() == 0) return;
    auto taken = std::make_unique<TakenRecords>();
    taken->array.reset(new ArrowArray{});
    columns.take(*taken->array);
    queue_.push(std::move(taken));
  }
  void finish() override { queue_.check_wanted(); }  // before any output has its name

 private:
  const ArrowFormat format_;
  RecordQueue& queue_;
};

}  // namespace warpmeter
