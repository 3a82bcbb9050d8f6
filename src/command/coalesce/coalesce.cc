#include "command/coalesce/coalesce.h"

#include <malloc.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/files/output_file.h"
#include "base/threads/in_threads.h"
#include "command/coalesce/coalesce_summary.h"
#include "command/coalesce/coalescing_batch.h"
#include "command/coalesce/coalescing_group.h"
#include "core/seeded_hash.h"
#include "packet/file/interface_list.h"
#include "packet/write/capture_writer.h"
#include "pipeline/batches/ordered_batches.h"
#include "pipeline/metering/progress.h"
#include "pipeline/run/command_run.h"
#include "warpmeter/link_type.h"

namespace warpmeter::inline command {
namespace {

constexpr unsigned kMostGroups = 16;
constexpr std::size_t kBatchFrames = 1'024;
constexpr std::uint64_t kBatchBytes = 1 << 20;

// What a dry run tries: the thresholds, and the largest with timeouts around the usual one.
struct WhatIf {
  std::uint32_t threshold, timeout_intervals;
};
constexpr std::array<WhatIf, 5> kWhatIf = {
    {{16 << 10, 10}, {32 << 10, 10}, {64 << 10, 1}, {64 << 10, 10}, {64 << 10, 100}}};

using Groups = std::vector<std::unique_ptr<CoalescingGroup>>;

unsigned groups_for(const CoalesceOptions& options) {
  return options.threads == 1 ? 1 : std::min(kMostGroups, 4 * options.threads);
}

Groups make_groups(unsigned groups, const CoalescerOptions& options, CaptureForm form) {
  Groups made;
  for (unsigned g = 0; g < groups; ++g) made.push_back(std::make_unique<CoalescingGroup>(g, groups, options, form));
  return made;
}

CoalescerCounters counters_of(const Groups& groups) {
  CoalescerCounters sum;
  for (const auto& group : groups) sum.add(group->counters());
  return sum;
}

void end_all(const Groups& groups, unsigned threads) {
  for_each_index(groups.size(), threads, [&](std::size_t g) { groups[g]->end(); });
}

BatchShape shape_of(const CoalesceOptions& options, unsigned consumers) {
  const ChunkOptions chunk{.frames = kBatchFrames, .bytes = kBatchBytes, .keep = true};
  return {.workers = options.threads,
          .slots = 2 * options.threads + 1,
          .consumers = consumers,
          .chunks = 1,
          .chunk = chunk};
}

void count(const CoalescingBatch& batch, CoalesceSummary& summary) {
  summary.decode.add(batch.counters());
  for (std::size_t i = 0; i < kPassReasons; ++i) summary.passes[i] += batch.passes()[i];
}

// Consumers are the groups, and behind them one that counts and calls last(batch).
void run_batches(PacketSource& source, const CoalesceOptions& options, const FrameRules& rules,
                 CoalesceSummary& summary, const std::function<void(unsigned group, const CoalescingBatch&)>& take,
                 const std::function<void(const CoalescingBatch&)>& last) {
  const Progress progress(source, !options.quiet);
  OrderedBatches<CoalescingBatch> batches(source, shape_of(options, rules.groups + 1),
                                          [&] { return CoalescingBatch(rules); });
  batches.run([&](unsigned consumer, std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t b = begin; b < end; ++b) {
      if (consumer < rules.groups) {
        take(consumer, batches[b]);
      } else {
        count(batches[b], summary);
        last(batches[b]);
      }
    }
  });
}

FrameRules rules_of(const CoalesceOptions& options, const PacketFilter* filter) {
  return {.verify = options.verify,
          .filter = filter,
          .seed = random_hash_seed(),
          .form = options.form,
          .groups = groups_for(options)};
}

// Frames to packets in the output, which has no name yet.
void coalesce_source(Trace& trace, const CoalesceOptions& options, const PacketFilter* filter,
                     InterfaceList& interfaces, OutputFile& file, CoalesceSummary& summary) {
  FrameRules rules = rules_of(options, filter);
  rules.interfaces = &interfaces;
  const CoalescerOptions coalescing = with_memory(options.coalescing, options.memory);
  const Groups groups = make_groups(rules.groups, coalescing, options.form);
  CaptureWriter writer(options.form, file, interfaces, options.output);
  SettledOutput output(writer, groups);
  run_batches(
      trace, options, rules, summary, [&](unsigned group, const CoalescingBatch& batch) { groups[group]->take(batch); },
      [&](const CoalescingBatch& batch) {
        if (batch.pending()) output.take(batch.pending());
        output.write_settled();
      });
  end_all(groups, options.threads);
  output.write_settled();
  const std::vector<InterfaceFacts> of_file = trace.facts().interfaces;
  writer.finish(of_file.empty() ? std::uint16_t{kLinkEthernet} : of_file.front().link);
  summary.counters = counters_of(groups);
  summary.packets_written = output.packets();
  summary.bytes_written = writer.bytes();
}

// What each threshold and timeout would make of them.
void try_out(Trace& trace, const CoalesceOptions& options, const PacketFilter* filter, CoalesceSummary& summary) {
  const FrameRules rules = rules_of(options, filter);
  std::vector<Groups> tries;
  for (const WhatIf& one : kWhatIf) {
    CoalescerOptions coalescing = with_memory(options.coalescing, options.memory);
    coalescing.threshold = one.threshold;
    coalescing.timeout_intervals = one.timeout_intervals;
    coalescing.keeps_bytes = false;
    tries.push_back(make_groups(rules.groups, coalescing, options.form));
  }
  run_batches(
      trace, options, rules, summary,
      [&](unsigned group, const CoalescingBatch& batch) {
        for (const Groups& groups : tries) groups[group]->take(batch);
      },
      [](const CoalescingBatch&) {});
  for (std::size_t i = 0; i < tries.size(); ++i) {
    end_all(tries[i], options.threads);
    summary.what_if.push_back({kWhatIf[i].threshold, kWhatIf[i].timeout_intervals, counters_of(tries[i])});
  }
}

// Batches give back what they took, and the next ones need as much: from the system it would come page by page.
void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
}

ExitStatus coalesce(const CoalesceOptions& options, CommandRun& run) {
  // What is read, and what of it.
  const InputFiles inputs =
      capture_inputs(options, {options.stats_file, options.output}, "packets that could be joined");
  run.begin(inputs.files, kOrFile);

  // Where the packets go, or the table.
  run.in_use().claim(options.output, FilesInUse::Replaces::anything);
  run.open_stats();
  const std::unique_ptr<OutputFile> file = open_capture_output(options.output, options.threads, run.interrupted());

  // Packets to super-packets.
  const auto interfaces = std::make_shared<InterfaceList>();
  const std::unique_ptr<Trace> trace = run.open(inputs.files, options.dry_run ? nullptr : interfaces);
  CoalesceSummary summary;
  keep_freed_memory();
  if (options.dry_run) try_out(*trace, options, run.filter(), summary);
  else coalesce_source(*trace, options, run.filter(), *interfaces, *file, summary);
  run.finish_reading(inputs, *trace, summary);

  // The output is complete, and there.
  if (options.dry_run) file->write(what_if_table(summary));
  file->commit();

  // What the run says.
  summary.interrupted = run.interrupted();
  run.end(summary);
  run.report(report_of(summary));
  return summary.status;
}

}  // namespace

ExitStatus coalesce(const CoalesceOptions& options, const std::atomic<bool>& interrupted) {
  ExitStatus status = ExitStatus::ok;
  CommandRun run(options, options.inputs, interrupted);
  run.run([&] { status = coalesce(options, run); });
  return status;
}

}  // namespace warpmeter::inline command
