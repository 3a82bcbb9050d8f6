// Metering with a policy that changes between two packets that a test names: the source ends there, so that no thread
// is at work, and goes on behind it, as a folder that grows does.
//
// Threads: one, but for what a PacketSource says.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "pipeline/metering/metering_work.h"
#include "pipeline/run/command_run.h"
#include "pipeline/run/metering_run.h"
#include "pipeline/run/summary.h"
#include "policy/control/policy_control.h"
#include "property/policy_case.h"
#include "support/read_capture.h"

namespace warpmeter::test {

class PartedSource : public PacketSource {
 public:
  explicit PartedSource(std::vector<ReadFrame> frames) : frames_(std::move(frames)) {}

  // It ends behind so many frames. REQUIRES: nobody reads.
  void go_on_to(std::size_t end) { end_ = std::min(end, frames_.size()); }
  std::size_t size() const { return frames_.size(); }

  bool ends() const override { return true; }
  bool repeatable() const override { return false; }

 private:
  bool claim(Chunk& chunk, const ChunkOptions& options) override {
    if (next_ == end_) return false;
    const std::size_t some = std::min(options.frames, end_ - next_);
    const auto begin = frames_.begin() + static_cast<std::ptrdiff_t>(next_);
    const auto given = std::make_shared<std::vector<ReadFrame>>(begin, begin + static_cast<std::ptrdiff_t>(some));
    for (const ReadFrame& f : *given) {
      chunk.block.frames.push_back(
          {f.bytes.data(), f.time_ns, static_cast<std::uint32_t>(f.bytes.size()), f.original, f.link});
    }
    chunk.block.leases.push_back(given);
    next_ += some;
    return true;
  }

  const std::vector<ReadFrame> frames_;
  std::size_t next_ = 0, end_ = 0;
};

// As extract_from() does, with requests of the control socket on the way. `counts`: of what was counted when a change
// came, as metrics have it.
inline Summary extract_with_changes(const std::vector<std::uint8_t>& capture,
                                    std::span<const reference::LaterPolicy> changes, const ExtractOptions& options,
                                    std::vector<PolicyCounters>& counts) {
  Summary summary;
  const std::atomic<bool> never = false;
  CommandRun run(options, {}, never);
  run.run([&] {
    run.begin({}, "");
    run.open_stats();
    RecordOutput output(output_options_of_run(options, run.in_use(), never), layout_of_run(options));
    auto made = std::make_unique<PartedSource>(read_bytes(capture).frames);
    PartedSource& source = *made;
    MeteringWork work(options, std::move(made), run.filter(), choose_backend(options, 0));
    for (const reference::LaterPolicy& change : changes) {
      source.go_on_to(static_cast<std::size_t>(change.behind));
      work.go_on();
      counts.push_back(work.metering().running_policy());
      apply_request(change.request, *options.policy.running);
    }
    source.go_on_to(source.size());
    work.go_on();
    work.end();
    sum_up(options, work, output, export_all(options, work, output), summary);
    run.end(summary);
    run.report(report_of(summary, options));
  });
  return summary;
}

inline reference::PolicyExtraction counted(const PolicyCounters& counters, std::uint64_t metered) {
  const auto number = [](std::uint64_t count) { return static_cast<std::int64_t>(count); };
  reference::PolicyExtraction made;
  made.metered = number(metered);
  made.dropped = number(counters.dropped);
  made.truncated = number(counters.truncated);
  made.rounds = number(counters.rounds);
  for (std::size_t place = 0; place < counters.groups.size(); ++place) {
    const CompiledGroup& group = counters.policy->groups()[place];
    reference::GroupCounts& counts = made.groups[static_cast<int>(group.id)];
    counts.matches = number(counters.groups[place].matched);
    counts.mismatches = number(counters.groups[place].mismatched);
    for (std::size_t i = 0; i < group.rules.size(); ++i) {
      counts.hits.push_back(number(counters.hits[group.first_hit + i]));
    }
  }
  return made;
}

// Whose changes may take as long as they do, on a machine that is slow or has much to do.
inline std::function<void(ExtractOptions&)> with_running_policy(const reference::PolicyDraft& policy,
                                                                const PolicyRun& run) {
  return [=](ExtractOptions& options) {
    const bool fuse = run.fuse && run.bounds.most_rounds == 0;
    options.policy.running =
        std::make_shared<RunningPolicy>(PolicyMemory::load(reference::toml(policy)), fuse, std::chrono::hours(1));
    add_policy(options.policy.running->current(), run.bounds, options);
  };
}

}  // namespace warpmeter::test
