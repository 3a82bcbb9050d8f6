#include "warpmeter/job.h"

#include <cerrno>
#include <string>
#include <utility>

#include "app/library/job_work.h"
#include "warpmeter/flow_source.h"

namespace warpmeter {
namespace {

struct Given {
  std::shared_ptr<FlowSource> source;
  std::string problem;
};

Given& given(ArrowArrayStream* stream) { return *static_cast<Given*>(stream->private_data); }

// No exception passes through the taker.
template <class Ask>
int answer(ArrowArrayStream* stream, const Ask& ask) {
  try {
    ask(*given(stream).source);
    return 0;
  } catch (const std::exception& error) {
    given(stream).problem = error.what();
    return EIO;
  }
}

int get_schema(ArrowArrayStream* stream, ArrowSchema* to) {
  return answer(stream, [to](FlowSource& source) { source.schema(*to); });
}

int get_next(ArrowArrayStream* stream, ArrowArray* to) {
  return answer(stream, [to](FlowSource& source) { source.next(*to); });
}

const char* get_last_error(ArrowArrayStream* stream) {
  const std::string& problem = given(stream).problem;
  return problem.empty() ? nullptr : problem.c_str();
}

void release_stream(ArrowArrayStream* stream) {
  delete &given(stream);
  stream->release = nullptr;
}

}  // namespace

Job::Job(std::unique_ptr<JobWork> work) : work_(std::move(work)) {}

Job::~Job() = default;

bool Job::ready(std::chrono::milliseconds at_most) { return work_->ready(at_most); }

void Job::interrupt() noexcept { work_->interrupt(); }

void Job::give_up() noexcept { work_->give_up(); }

ReadingProgress Job::progress() const { return work_->progress(); }

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

void export_stream(std::shared_ptr<FlowSource> source, ArrowArrayStream& to) {
  if (!source) throw Error("there is no source of Flow Records to export", ExitStatus::usage);
  to = {get_schema, get_next, get_last_error, release_stream, new Given{std::move(source), {}}};
}

}  // namespace warpmeter
