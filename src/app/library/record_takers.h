// Outputs that are the program which takes the Flow Records, or the rows of `show`.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "app/library/record_queue.h"
#include "command/show/row_output.h"
#include "core/record_format.h"
#include "core/record_layout.h"
#include "core/record_writer.h"
#include "record/arrow/arrow_format.h"
#include "warpmeter/biflow.h"

namespace warpmeter {

// Flow Records as they are, for programs that take them: a format whose sections are vectors.
class FlowSection : public RecordSection {
 public:
  explicit FlowSection(std::uint32_t absent) : absent_(absent) {}

  void write(const FlowRecord& record, const FlowRecord* reverse) override {
    Biflow& flow = flows.emplace_back();
    flow.forward = record;
    flow.forward.absent |= absent_;
    if (!reverse) return;
    flow.has_reverse = true;
    flow.reverse = *reverse;
    flow.reverse.absent |= absent_;
  }
  std::size_t bytes() const override { return flows.size() * sizeof(Biflow); }

  std::vector<Biflow> flows;

 private:
  const std::uint32_t absent_;
};

class FlowFormat : public RecordFormat {
 public:
  explicit FlowFormat(const RecordLayout& layout) : absent_(layout.absent) {}
  std::unique_ptr<RecordSection> new_section() const override { return std::make_unique<FlowSection>(absent_); }

 private:
  const std::uint32_t absent_;
};

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

// Rows of `show` that are no whole Flow Records, as Arrow arrays.
class RowTaker : public RowOutput {
 public:
  // `know` gets the columns once they are known. `queue` must outlive it.
  RowTaker(RecordQueue& queue, std::function<void(std::vector<ArrowField>)> know)
      : queue_(queue), know_(std::move(know)) {}

  void begin(const std::vector<RowColumn>& columns) override;
  void write(const std::vector<RowValue>& row) override;
  void end() override;

 private:
  static constexpr std::size_t kEnough = 1 << 20;  // whoever takes many small ones is slow
  void push();

  RecordQueue& queue_;
  const std::function<void(std::vector<ArrowField>)> know_;
  std::optional<ArrowRows> rows_;
};

}  // namespace warpmeter
