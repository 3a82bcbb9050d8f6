#include "warpmeter/extraction.h"

#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

#include "columnar/arrow_schema.h"
#include "extract/extract.h"
#include "extract/run_end.h"
#include "library/feed_source.h"
#include "library/options_by_name.h"
#include "library/record_queue.h"
#include "library/record_takers.h"

namespace warpmeter {

class Extraction::Run {
 public:
  Run(std::vector<std::string> inputs, const Options& options, Delivery delivery) : Run(options, delivery) {
    if (inputs.empty()) throw Error("there are no inputs", ExitStatus::usage);
    options_.inputs = std::move(inputs);
    begin([this] { return extract_and_sum_up(options_, interrupted_); });
  }

  Run(FrameFeed feed, const Options& options, Delivery delivery) : Run(options, delivery) {
    auto source =
        std::make_shared<std::unique_ptr<PacketSource>>(std::make_unique<FeedSource>(std::move(feed), interrupted_));
    begin([this, source] { return extract_from(std::move(*source), options_, interrupted_); });
  }

  ~Run() {
    interrupt();
    queue_.give_up();
  }

  void must_give(Delivery wanted) const {
    if (wanted != delivery_) throw Error("the Flow Records of this run are given in the other form", ExitStatus::usage);
  }
  std::unique_ptr<TakenRecords> next() { return queue_.pop(); }
  bool ready(std::chrono::milliseconds at_most) { return queue_.ready(at_most); }
  void interrupt() noexcept { interrupted_ = true; }
  const ExtractOptions& options() const { return options_; }

  // After its end nobody writes to these.
  const Summary& summary() const {
    if (!queue_.has_ended()) throw Error("the summary is there when all Flow Records have been taken");
    return summary_;
  }
  const std::vector<std::string>& warnings() const {
    summary();
    return warnings_;
  }

 private:
  Run(const Options& options, Delivery delivery) : delivery_(delivery), options_(extract_options_of(options)) {
    options_.output.taker = [this](const RecordLayout& layout) -> std::unique_ptr<RecordWriter> {
      if (delivery_ == Delivery::arrow) return std::make_unique<ArrowTaker>(layout, queue_);
      return std::make_unique<FlowTaker>(layout, queue_);
    };
    options_.warn = [this](const std::string& line) {
      const std::lock_guard lock(mutex_);
      warnings_.push_back(line);
    };
  }

  void begin(std::function<Summary()> what) {
    thread_ = std::jthread([this, what = std::move(what)] {
      std::exception_ptr failure;
      try {
        summary_ = what();
      } catch (...) {
        failure = std::current_exception();
      }
      queue_.end(failure);
    });
  }

  const Delivery delivery_;
  ExtractOptions options_;
  std::atomic<bool> interrupted_ = false;
  RecordQueue queue_;
  Summary summary_;
  std::mutex mutex_;  // of the warnings, until the end
  std::vector<std::string> warnings_;
  std::jthread thread_;  // the first to go
};

Extraction::Extraction(std::vector<std::string> inputs, const Options& options, Delivery delivery)
    : run_(std::make_unique<Run>(std::move(inputs), options, delivery)) {}

Extraction::Extraction(FrameFeed feed, const Options& options, Delivery delivery)
    : run_(std::make_unique<Run>(std::move(feed), options, delivery)) {}

Extraction::~Extraction() = default;

bool Extraction::next(std::vector<Biflow>& flows) {
  run_->must_give(Delivery::flows);
  const std::unique_ptr<TakenRecords> taken = run_->next();
  flows.clear();
  if (taken) flows.swap(taken->flows);
  return taken != nullptr;
}

bool Extraction::next(ArrowArray& to) {
  run_->must_give(Delivery::arrow);
  const std::unique_ptr<TakenRecords> taken = run_->next();
  to = taken ? std::exchange(*taken->array, {}) : ArrowArray{};
  return taken != nullptr;
}

void Extraction::schema(ArrowSchema& to) const { export_schema(typed_columns(layout_of_run(run_->options())), to); }

bool Extraction::ready(std::chrono::milliseconds at_most) { return run_->ready(at_most); }

void Extraction::interrupt() noexcept { run_->interrupt(); }

std::string Extraction::summary() const { return summary_json(run_->summary()); }

std::vector<std::string> Extraction::warnings() const { return run_->warnings(); }

}  // namespace warpmeter
