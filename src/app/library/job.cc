#include "warpmeter/job.h"

#include <utility>

#include "app/library/job_work.h"
#include "warpmeter/flow_source.h"

namespace warpmeter {

Job::Job(std::unique_ptr<JobWork> work) : work_(std::move(work)) {}

Job::~Job() = default;

bool Job::ready(std::chrono::milliseconds at_most) { return work_->ready(at_most); }

void Job::interrupt() noexcept { work_->interrupt(); }

void Job::give_up() noexcept { work_->give_up(); }

std::string Job::summary() const { return work_->summary(); }

std::vector<std::string> Job::warnings() const { return work_->warnings(); }

FlowSource::FlowSource(std::unique_ptr<JobWork> work) : Job(std::move(work)) {}

bool FlowSource::next(std::vector<Biflow>& flows) {
  work().must_give(Delivery::flows);
  const std::unique_ptr<TakenRecords> taken = work().next();
  flows.clear();
  if (taken) flows.swap(taken->flows);
  return taken != nullptr;
}

bool FlowSource::next(ArrowArray& to) {
  work().must_give(Delivery::arrow);
  const std::unique_ptr<TakenRecords> taken = work().next();
  to = taken ? std::exchange(*taken->array, {}) : ArrowArray{};
  return taken != nullptr;
}

void FlowSource::schema(ArrowSchema& to) const { work().schema(to); }

}  // namespace warpmeter
