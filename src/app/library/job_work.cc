#include "app/library/job_work.h"

#include <utility>

#include "app/library/job_end.h"
#include "app/library/record_takers.h"
#include "base/words/printable.h"
#include "core/typed_columns.h"

namespace warpmeter {

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

std::unique_ptr<RecordWriter> JobWork::taker(const RecordLayout& layout) {
  know_columns(arrow_fields(typed_columns(layout)));
  if (delivery_ == Delivery::arrow) return std::make_unique<ArrowTaker>(layout, queue_);
  return std::make_unique<FlowTaker>(layout, queue_);
}

std::unique_ptr<RowOutput> JobWork::row_taker() {
  return std::make_unique<RowTaker>(queue_,
                                    [this](std::vector<ArrowField> fields) { know_columns(std::move(fields)); });
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
