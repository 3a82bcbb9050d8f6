// What rounds of policy groups cost in process: nothing is read and nothing is decoded while time is taken.
//
//     policy_bench [--rounds N] [--milliseconds N] [--groups N] [--threads N] [--payload BYTES]... [--only NAME]
//
// TCP in order in 1,024 connections, in batches of 1,024 packets. Each shape in turn gets passes of these for so many
// milliseconds of CPU time (100), and all of it N times (5): chains of 1 to --groups (8) groups of 100 patterns, as one
// scan (fused) and with a scan for each group (apart); one group of 400, of 800; the scans of these alone, without
// connections and rules; no group at all. If the machine has as many cores as --threads (4), some of it by so many at
// once, each with shards of its own. --only: one of them, such as stream-fused-4x100-1, for profiles.
//
// Prints a line of JSON for each measurement: CPU seconds (of several threads, the mean), packets of all threads, their
// rounds, hits of rules in a pass, latency of a batch by the wall clock.
#include <time.h>

#include <algorithm>
#include <barrier>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <exception>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "policy/rounds/policy_rounds.h"
#include "shapes.h"
#include "traffic.h"

namespace {

using namespace warpmeter;
using bench::PolicyTraffic;
using bench::Shape;
using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kMostGroups = 16;                  // max_rounds of a policy
constexpr std::uint64_t kMemory = std::uint64_t{1} << 30;  // for connections, which take less

struct Command {
  std::uint32_t rounds = 5, milliseconds = 100, groups = 8, threads = 4;
  std::vector<std::uint32_t> payloads;
  std::string only;
};

struct Measured {
  std::uint64_t packets = 0, passes = 0, rounds = 0, hits = 0;
  double cpu_seconds = 0;
  std::vector<double> latencies_us;  // of batches

  void add(const Measured& other) {
    packets += other.packets;
    passes += other.passes;
    rounds += other.rounds;
    hits += other.hits;
    cpu_seconds += other.cpu_seconds;
    latencies_us.insert(latencies_us.end(), other.latencies_us.begin(), other.latencies_us.end());
  }
};

// Of this thread: other programs run beside this one.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

struct DroppedNotes final : AnnotationSink {
  void add(const FlowKey&, const Annotation&, const AnnotationReach&, std::uint64_t) override { ++count; }
  std::uint64_t count = 0;
};

class RoundsOfBatches {
 public:
  RoundsOfBatches(const Shape& shape, const HashSeed& seed, unsigned first, unsigned last)
      : first_(first),
        last_(last),
        rounds_({.policy = shape.policy, .memory = kMemory}, seed, first, last, *std::pmr::new_delete_resource(),
                &notes_) {}

  void take(const PolicyBatch& batch, std::uint32_t) { rounds_.take(batch, batch.of_shards(first_, last_)); }
  void begin() { before_ = rounds_.counters(); }
  void tell(Measured& m) const {
    const PolicyCounters now = rounds_.counters();
    m.rounds = now.rounds - before_.rounds;
    for (std::size_t i = 0; i < now.hits.size(); ++i) m.hits += now.hits[i] - before_.hits[i];
  }

 private:
  const unsigned first_, last_;
  DroppedNotes notes_;
  PolicyRounds rounds_;
  PolicyCounters before_;
};

class ScansOfBatches {
 public:
  explicit ScansOfBatches(const Shape& shape) : shape_(shape) {
    for (const auto& set : shape.sets) {
      scratch_.prepare(*set);
      std::vector<PatternStream>& streams = streams_.emplace_back();
      if (!shape.is_stream) continue;
      for (std::uint32_t d = 0; d < 2 * PolicyTraffic::kConnections; ++d) streams.emplace_back(*set, TextStart::stream);
    }
  }

  void take(const PolicyBatch& batch, std::uint32_t first) {
    PatternSearch search(scratch_);
    for (std::size_t s = 0; s < streams_.size(); ++s) {
      for (std::uint32_t i = 0; i < batch.count; ++i) {
        const std::span<const std::uint8_t> payload(batch.payload[i].data, batch.payload[i].captured);
        if (shape_.is_stream) {
          const auto found = [this](unsigned, std::uint64_t) { ++hits_; };
          search.stream(streams_[s][PolicyTraffic::direction_of(first + i)], payload, found);
        } else {
          search.block(*shape_.sets[s], payload, [this](unsigned, std::uint64_t) { return ++hits_ > 0; });
        }
      }
    }
  }
  void begin() { hits_ = 0; }
  void tell(Measured& m) const { m.hits = hits_; }

 private:
  const Shape& shape_;
  PatternScratch scratch_;
  std::vector<std::vector<PatternStream>> streams_;  // of each set, by direction
  std::uint64_t hits_ = 0;
};

// One pass to warm up, then as many as were asked for.
template <class Taker>
Measured passes(PolicyTraffic& traffic, Taker& taker, double seconds) {
  Measured m;
  for (std::uint32_t b = 0; b < PolicyTraffic::kBatches; ++b)
    taker.take(traffic.next(b), b * PolicyTraffic::kBatchPackets);
  taker.begin();
  for (; m.cpu_seconds < seconds; ++m.passes) {
    for (std::uint32_t b = 0; b < PolicyTraffic::kBatches; ++b) {
      const PolicyBatch& batch = traffic.next(b);
      const double cpu = cpu_seconds();
      const auto start = Clock::now();
      taker.take(batch, b * PolicyTraffic::kBatchPackets);
      m.latencies_us.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
      m.cpu_seconds += cpu_seconds() - cpu;
      m.packets += batch.count;
    }
  }
  taker.tell(m);
  return m;
}

Measured measure_share(const Shape& shape, std::uint32_t payload, const std::string& text, double seconds,
                       unsigned share, std::barrier<>& all) {
  const HashSeed seed(1);
  const unsigned first = first_shard_of(share, shape.threads), last = first_shard_of(share + 1, shape.threads);
  PolicyTraffic traffic(text, payload, seed, first, last);
  if (!shape.policy) {
    ScansOfBatches scans(shape);
    return passes(traffic, scans, seconds);
  }
  RoundsOfBatches rounds(shape, seed, first, last);
  rounds.take(traffic.greeting(), 0);
  all.arrive_and_wait();
  return passes(traffic, rounds, seconds);
}

Measured measure(const Shape& shape, std::uint32_t payload, const std::string& text, double seconds) {
  std::vector<Measured> of_threads(shape.threads);
  std::barrier<> all(shape.threads);
  {
    std::vector<std::jthread> helpers;
    const auto work = [&](unsigned i) { of_threads[i] = measure_share(shape, payload, text, seconds, i, all); };
    for (unsigned i = 1; i < shape.threads; ++i) helpers.emplace_back(work, i);
    work(0);
  }
  Measured sum;
  for (const Measured& m : of_threads) sum.add(m);
  sum.cpu_seconds /= shape.threads;
  std::ranges::sort(sum.latencies_us);
  return sum;
}

void print(const Shape& shape, std::uint32_t payload, const Measured& m) {
  const auto share = [&m](std::size_t hundredths) { return m.latencies_us[m.latencies_us.size() * hundredths / 100]; };
  std::printf(
      "{\"kind\": \"%s\", \"way\": \"%s\", \"groups\": %u, \"patterns\": %u, \"threads\": %u, \"payload\": %u, ",
      shape.kind(), shape.way_word(), shape.groups, shape.patterns, shape.threads, payload);
  std::printf("\"packets\": %llu, \"cpu_seconds\": %.6f, \"rounds\": %llu, \"hits_a_pass\": %.3f, ",
              static_cast<unsigned long long>(m.packets), m.cpu_seconds, static_cast<unsigned long long>(m.rounds),
              static_cast<double>(m.hits) / static_cast<double>(m.passes));
  std::printf("\"median_us\": %.1f, \"p99_us\": %.1f}\n", share(50), share(99));
  std::fflush(stdout);
}

std::optional<Command> parse(int argc, char** argv) {
  Command command;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view word = argv[i];
    if (i + 1 == argc) return std::nullopt;
    const std::string_view text = argv[i + 1];
    if (word == "--only") {
      command.only = text;
      continue;
    }
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value == 0) return std::nullopt;
    if (word == "--rounds") command.rounds = value;
    else if (word == "--milliseconds") command.milliseconds = value;
    else if (word == "--groups" && value <= kMostGroups) command.groups = value;
    else if (word == "--threads" && value <= kShards) command.threads = value;
    else if (word == "--payload" && value <= PolicyTraffic::kMostPayload) command.payloads.push_back(value);
    else return std::nullopt;
  }
  if (command.payloads.empty()) command.payloads = {10, 74, 202, 458, 970, 1460};  // frames of 64 to 1,514 bytes
  return command;
}

void run(const Command& command) {
  const unsigned threads = std::thread::hardware_concurrency() < command.threads ? 1 : command.threads;
  const std::vector<Shape> shapes = bench::make_shapes(command.groups, threads, command.only);
  const std::string text = bench::some_payload();
  for (std::uint32_t round = 0; round < command.rounds; ++round) {
    for (const std::uint32_t payload : command.payloads) {
      for (const Shape& shape : shapes)
        print(shape, payload, measure(shape, payload, text, command.milliseconds / 1e3));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::optional<Command> command = parse(argc, argv);
  if (!command) {
    std::fprintf(stderr,
                 "usage: policy_bench [--rounds N] [--milliseconds N] [--groups N] [--threads N] [--payload BYTES]... "
                 "[--only NAME]\n");
    return 2;
  }
  try {
    run(*command);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "policy_bench: %s\n", error.what());
    return 1;
  }
}
