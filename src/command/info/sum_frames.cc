#include "command/info/sum_frames.h"

#include "pipeline/batches/ordered_batches.h"

namespace warpmeter::inline command {
namespace {

constexpr unsigned kBatchesPerThread = 4;  // few are in flight where chunks are as unlike as those of many small files

struct BatchOfSums {
  FrameSums sums;

  void begin() { sums = {}; }
  void add(const FrameBlock& block) { sums.add(block); }
  void finish(std::uint64_t) {}
};

}  // namespace

FrameSums sum_frames(PacketSource& source, unsigned threads) {
  OrderedBatches<BatchOfSums> batches(
      source, {.workers = threads, .slots = kBatchesPerThread * threads, .consumers = 1}, [] { return BatchOfSums(); });
  FrameSums total;
  batches.run([&](unsigned, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t batch = first; batch < last; ++batch) total.append(batches[batch].sums);
  });
  return total;
}

}  // namespace warpmeter::inline command
