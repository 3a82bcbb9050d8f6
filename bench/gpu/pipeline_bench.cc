// The pipeline of `extract --backend cuda` on a null device: the real source, decoders, slots and queues.
// bench/gpu/pipeline runs it, and says what its figures mean.
//
//     pipeline_bench NAME=NUMBER... FILE...     prints one JSON object
//
//     threads, batch       as of extract
//     stretch              all times below are so many times as long
//     decode_ns            a frame, of a thread that reads and decodes; 0: as long as that takes here
//     submit_us, compute_us, packet_ns, copy_gb_s, awake_us, collect_us, pinned_ms, free_ms (a MiB)
#include <sys/resource.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "null_device.h"
#include "paced_source.h"
#include "pipeline/metering/metering_work.h"
#include "pipeline/run/command_run.h"

namespace {

using namespace warpmeter;
using namespace warpmeter::bench;

constexpr double kMicro = 1e-6, kNano = 1e-9, kMilli = 1e-3;

// Those that the caller gives, with what they are if he does not.
std::map<std::string, double, std::less<>> numbers = {
    {"threads", 2},   {"batch", 0},      {"stretch", 1},  {"decode_ns", 0},  {"submit_us", 0}, {"compute_us", 0},
    {"packet_ns", 0}, {"copy_gb_s", 55}, {"awake_us", 0}, {"collect_us", 0}, {"pinned_ms", 0}, {"free_ms", 0}};

NullDeviceTimes device_times() {
  const double stretch = numbers["stretch"];
  const auto of = [&](const char* name, double unit) { return numbers[name] * unit * stretch; };
  return {.submit = of("submit_us", kMicro),
          .compute = of("compute_us", kMicro),
          .compute_packet = of("packet_ns", kNano),
          .copy_byte = stretch / (numbers["copy_gb_s"] * 1e9),
          .awake = of("awake_us", kMicro),
          .collect = of("collect_us", kMicro),
          .pinned_byte = of("pinned_ms", kMilli) / (1 << 20),
          .pinned_byte_free = of("free_ms", kMilli) / (1 << 20)};
}

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return of(used.ru_utime) + of(used.ru_stime);
}

// `device`: told when it is made.
ExtractOptions extract_options(NullDeviceCounts& counts, NullDevice*& device) {
  ExtractOptions options;
  options.threads = static_cast<unsigned>(numbers["threads"]);
  options.batch = static_cast<std::uint32_t>(numbers["batch"]);
  options.backend = Backend::cuda;
  options.memory = std::uint64_t{1} << 30;
  options.tmpdir = "/tmp";
  options.quiet = true;
  options.progress = false;
  options.make_device = [&](const DeviceMeterOptions&) {
    auto made = std::make_unique<NullDevice>(device_times(), counts);
    device = made.get();
    return made;
  };
  return options;
}

void print(const NullDeviceCounts& c, const PacedSource& source, double wall, double cpu) {
  const double stretch = numbers["stretch"];
  const auto time = [&](const char* name, double seconds) { std::printf("\"%s\": %.6f, ", name, seconds / stretch); };
  std::printf("{\"packets\": %ju, \"batches\": %ju, \"rests\": %ju, \"empty\": %ju, \"bytes_in\": %ju, ",
              std::uintmax_t{c.packets}, std::uintmax_t{c.batches}, std::uintmax_t{c.rests}, std::uintmax_t{c.empty},
              std::uintmax_t{c.bytes_in});
  std::printf("\"most_in_flight\": %u, ", c.most_in_flight);
  std::printf("\"pinned_bytes\": %ju, \"grown\": %ju, \"grown_bytes\": %ju, ", std::uintmax_t{c.pinned.bytes},
              std::uintmax_t{c.pinned.grown}, std::uintmax_t{c.pinned.grown_bytes});
  time("wall", wall);
  time("decoding", source.decoding());
  time("reading_ended", source.seconds());
  time("submitting", c.submitting);
  time("full", c.full);
  time("starved", c.starved);
  time("waiting", c.waiting);
  time("collecting", c.collecting);
  time("device_busy", c.device_busy);
  time("held", c.held);
  time("blocked", c.pinned.blocked);
  std::printf("\"cores_used\": %.3f}\n", cpu / wall);
}

// Without what begins and ends a run, as the product has it on a GPU: these have benches of their own.
void run(const std::vector<std::string>& files) {
  NullDeviceCounts counts;
  NullDevice* device = nullptr;
  const ExtractOptions options = extract_options(counts, device);
  const std::atomic<bool> interrupted = false;
  auto source = std::make_unique<PacedSource>(open_captures(options, files, nullptr, interrupted),
                                              numbers["decode_ns"] * kNano * numbers["stretch"]);
  PacedSource& paced = *source;
  MeteringWork work(options, std::move(source), nullptr, {"cuda", "a null device", true});
  const double cpu = cpu_seconds();
  const SteadyTime begin = steady_now();
  paced.begin();
  device->begin_run();
  work.go_on();
  const double wall = (steady_now() - begin).count(), used = cpu_seconds() - cpu;
  work.end();
  print(counts, paced, wall, used);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const std::size_t equals = word.find('=');
    const auto known = equals == word.npos ? numbers.end() : numbers.find(word.substr(0, equals));
    if (known == numbers.end()) files.emplace_back(word);
    else known->second = std::atof(argv[i] + equals + 1);
  }
  if (files.empty()) {
    std::fprintf(stderr, "usage: pipeline_bench NAME=NUMBER... FILE...\n");
    return 2;
  }
  try {
    run(files);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "pipeline_bench: %s\n", error.what());
    return 1;
  }
}
