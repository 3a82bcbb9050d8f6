#include "app/library/job_work.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "app/library/job_end.h"
#include "base/words/printable.h"
#include "core/typed_columns.h"
#include "record/arrow/arrow_format.h"
#include "warpmeter/biflow.h"

namespace warpmeter {
namespace {

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

// Gives them to a queue.
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

// An ArrowSection or ArrowRows, which starts over.
template <typename Columns>
void push_columns(Columns& columns, RecordQueue& queue) {
  if (columns.rows() == 0) return;
  auto taken = std::make_unique<TakenRecords>();
  taken->array.reset(new ArrowArray{});
  columns.take(*taken->array);
  queue.push(std::move(taken));
}

// Gives their columns to a queue, as Arrow arrays.
class ArrowTaker : public RecordWriter {
 public:
  // `queue` must outlive it.
  ArrowTaker(const RecordLayout& layout, RecordQueue& queue) : format_(layout), queue_(queue) {}

  const RecordFormat& format() const override { return format_; }
  void append(RecordSection& section) override { push_columns(static_cast<ArrowSection&>(section), queue_); }
  void finish() override { queue_.check_wanted(); }  // before any output has its name

 private:
  const ArrowFormat format_;
  RecordQueue& queue_;
};

// Rows of `show` that are no whole Flow Records, as Arrow arrays.
class RowTaker : public ArrowRowOutput {
 public:
  // `know` gets the columns once they are known. `queue` must outlive it.
  RowTaker(RecordQueue& queue, std::function<void(std::vector<ArrowField>)> know)
      : queue_(queue), know_(std::move(know)) {}

 private:
  void know(const std::vector<ArrowField>& fields) override { know_(fields); }
  void give(ArrowRows& rows) override { push_columns(rows, queue_); }
  void finish() override { queue_.check_wanted(); }  // before any output has its name

  RecordQueue& queue_;
  const std::function<void(std::vector<ArrowField>)> know_;
};

}  // namespace

JobWork::~JobWork() { give_up(); }

// In this order: a job that is interrupted finishes what nobody wants any more.
void JobWork::give_up() noexcept {
  queue_.give_up();
  dropped_ = true;
  if (outlet_) outlet_->give_up();
  interrupt();
}

void JobWork::begin(std::function<JobEnd()> job, std::shared_ptr<JobOutlet> outlet) {
  outlet_ = std::move(outlet);
  thread_ = std::jthread([this, job = std::move(job)] {
    try {
      JobEnd end = job();
      summary_ = std::move(end.summary);
      if (!end.lost.empty()) throw Error(end.lost);
    } catch (...) {
      failure_ = printable_failure();
    }
    queue_.end(failure_);
  });
}

void JobWork::warn(const std::string& line) {
  const std::lock_guard lock(mutex_);
  warnings_.push_back(printable(line));
}

void JobWork::tell_progress(const ReadingProgress& progress) {
  const std::lock_guard lock(mutex_);
  progress_ = progress;
}

ReadingProgress JobWork::progress() const {
  const std::lock_guard lock(mutex_);
  return progress_;
}

std::unique_ptr<RecordWriter> JobWork::taker(const RecordLayout& layout) {
  know_columns(arrow_fields(typed_columns(layout)));
  if (delivery_ == Delivery::arrow) return std::make_unique<ArrowTaker>(layout, queue_);
  return std::make_unique<FlowTaker>(layout, queue_);
}

std::unique_ptr<RowOutput> JobWork::row_taker() {
  return std::make_unique<RowTaker>(queue_,
                                    [this](std::vector<ArrowField> fields) { know_columns(std::move(fields)); });
}

RowsTaker JobWork::rows_taker() {
  return {.begin = [this](const std::vector<ArrowField>& columns) { know_columns(columns); },
          .take =
              [this](ArrowArray& rows) {
                auto taken = std::make_unique<TakenRecords>();
                taken->array.reset(new ArrowArray(std::exchange(rows, {})));
                queue_.push(std::move(taken));
              }};
}

void JobWork::know_columns(std::vector<ArrowField> fields) {
  const std::lock_guard lock(mutex_);
  fields_ = std::move(fields);
}

std::optional<std::vector<ArrowField>> JobWork::known_columns() const {
  const std::lock_guard lock(mutex_);
  return fields_;
}

void JobWork::must_give(Delivery wanted) const {
  if (wanted != delivery_) throw Error("the Flow Records of this run are given in the other form", ExitStatus::usage);
}

void JobWork::schema(ArrowSchema& to) {
  std::optional<std::vector<ArrowField>> fields = known_columns();
  while (!fields) {
    const bool is_ready = queue_.ready(std::chrono::hours(1));
    fields = known_columns();
    if (is_ready && !fields) queue_.pop();  // throws: without columns there is no batch and no success
  }
  export_schema(*fields, to);
}

void JobWork::must_have_ended() const {
  if (outlet_ && !(queue_.has_ended() && outlet_->is_taken())) {
    throw Error("the summary is there when all blocks have been taken");
  }
  if (!queue_.has_ended()) throw Error("the summary is there when all Flow Records have been taken");
}

std::string JobWork::summary() const {
  must_have_ended();
  return summary_.empty() ? json_of(failure_) : summary_;
}

std::vector<std::string> JobWork::warnings() const {
  must_have_ended();
  return warnings_;
}

}  // namespace warpmeter
