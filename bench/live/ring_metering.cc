// What it costs to decode and meter packets from rings in memory, beside extract from a file in memory, over the same
// frames: CPU time a packet, of all threads, alternating, so that what else the machine does falls on all alike.
//
//     ring_metering_bench CAPTURE [ROUNDS [WAY]]      a pcap file of Ethernet frames, nanoseconds, little endian
//     (traffic_gen)
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <thread>

#include "command/live/ring_metering.h"
#include "live/memory_rings.h"
#include "packet/decode/decoder.h"
#include "packet/file/trace.h"
#include "packet/nic/ring/ring_reader.h"
#include "pipeline/metering/cpu_metering.h"

namespace {

using namespace warpmeter;
using bench::MemoryPoint;
using bench::MemoryRing;
using bench::RecordHeader;

const std::atomic<bool> kNever = false;
constexpr std::size_t kFileHeader = 24;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

using Rings = std::vector<std::unique_ptr<MemoryRing>>;

// Shares the records between so many rings by what `ring_of` says of the key's hash and the record's number.
template <class RingOf>
Rings rings_of(const std::vector<std::uint8_t>& file, unsigned count, const RingOf& ring_of) {
  Rings rings;
  for (unsigned i = 0; i < count; ++i) rings.push_back(std::make_unique<MemoryRing>(i));
  const HashSeed seed = 1;
  const Decoder decoder({}, seed);
  SegmentBatch batch(1);
  FrameBlock block;
  DecodeCounters counters;
  std::uint64_t number = 0;
  for (std::size_t at = kFileHeader; at + sizeof(RecordHeader) <= file.size(); ++number) {
    RecordHeader header;
    std::memcpy(&header, file.data() + at, sizeof header);
    at += sizeof header;
    block.frames.assign(1, {file.data() + at, 0, header.captured, header.original, kLinkEthernet});
    decoder.decode(block, batch, counters);
    rings[ring_of(batch.count ? batch.hash[0] : 0, number) % count]->add(header, file.data() + at);
    at += header.captured;
  }
  return rings;
}

MeteringOptions options_of(unsigned threads) {
  MeteringOptions options;
  options.threads = threads;
  options.meter.flow_memory = std::uint64_t{2} << 30;
  return options;
}

struct Measured {
  double ns = 0;  // a packet
  std::uint64_t metered = 0;
};

using Make = std::function<std::unique_ptr<MeteringProcess>(RunStore&, StageClock&)>;

// All of them at once, each for its own.
Measured measure(std::uint64_t packets, const std::vector<Make>& makes) {
  struct One {
    RunStore runs{{.folder = "/tmp", .order = arrival_order, .memory_limit = 64 << 20}};
    StageClock clock;
    std::unique_ptr<MeteringProcess> metering;
  };
  std::vector<One> all(makes.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i].metering = makes[i](all[i].runs, all[i].clock);
  const double before = cpu_seconds();
  {
    std::vector<std::jthread> threads;
    for (One& one : all) threads.emplace_back([&one] { one.metering->run(); });
  }
  const double seconds = cpu_seconds() - before;
  Measured measured{seconds * 1e9 / static_cast<double>(packets)};
  for (One& one : all) {
    one.metering->drain();
    measured.metered += one.metering->decode_counters().metered;
  }
  return measured;
}

Measured by_extract(const std::string& file, std::uint64_t packets, unsigned threads) {
  Trace trace({file}, kNever, {});
  return measure(packets, {[&](RunStore& runs, StageClock& clock) {
                   return std::make_unique<CpuMetering>(options_of(threads), trace, runs, clock);
                 }});
}

// One live capture of such rings.
struct RingCapture {
  explicit RingCapture(std::vector<MemoryRing*> rings)
      : points(
            point_of(std::move(rings)), {}, [](auto&) {}, kNever) {}

  static std::vector<std::unique_ptr<ObservationPoint>> point_of(std::vector<MemoryRing*> rings) {
    std::vector<std::unique_ptr<ObservationPoint>> one;
    one.push_back(std::make_unique<MemoryPoint>(std::move(rings)));
    return one;
  }

  ObservationPoints points;
  RingSource source{points};
};

std::vector<MemoryRing*> all_of(const Rings& rings) {
  std::vector<MemoryRing*> all;
  for (const auto& ring : rings) all.push_back(ring.get());
  return all;
}

// `threads`: with more than rings, all of them for all rings.
Measured by_rings(const Rings& rings, std::uint64_t packets, unsigned threads, bool expire = false) {
  RingCapture capture(all_of(rings));
  MeteringOptions options = options_of(threads);
  if (expire) options.expire_every_ns = 500'000'000;
  return measure(packets, {[&](RunStore& runs, StageClock& clock) -> std::unique_ptr<MeteringProcess> {
                   if (threads > rings.size()) {
                     return std::make_unique<CpuMetering>(options, capture.source, runs, clock);
                   }
                   return std::make_unique<RingMetering>(options, capture.points, runs, clock);
                 }});
}

// Each ring by a capture of its own that knows of no other: what the machine takes for two threads at once.
Measured by_captures(const Rings& rings, std::uint64_t packets) {
  std::vector<std::unique_ptr<RingCapture>> captures;
  std::vector<Make> makes;
  for (MemoryRing* const ring : all_of(rings)) {
    RingCapture& capture = *captures.emplace_back(std::make_unique<RingCapture>(std::vector{ring}));
    makes.push_back([&capture](RunStore& runs, StageClock& clock) {
      return std::make_unique<RingMetering>(options_of(1), capture.points, runs, clock);
    });
  }
  return measure(packets, makes);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) return std::fputs("ring_metering_bench CAPTURE [ROUNDS [WAY]]\n", stderr), 2;
  const std::string name = words[1];
  const int rounds = count > 2 ? std::atoi(words[2]) : 5;
  std::ifstream stream(name, std::ios::binary);
  const std::vector<std::uint8_t> file{std::istreambuf_iterator<char>(stream), {}};
  std::uint64_t packets = 0;
  const auto count_all = [&](std::uint64_t, std::uint64_t number) {
    packets = number + 1;
    return std::uint64_t{0};
  };
  const Rings one = rings_of(file, 1, count_all);
  const Rings by_flow = rings_of(file, 2, [](std::uint64_t hash, std::uint64_t) { return hash; });
  const Rings anyhow =
      rings_of(file, 2, [](std::uint64_t, std::uint64_t number) { return number * 0x9e3779b97f4a7c15u >> 40; });

  struct Way {
    const char* name;
    std::function<Measured()> run;
    std::vector<double> ns;
    std::uint64_t lost = 0;  // because a hand-over was full: of a machine that is busy
  };
  std::vector<Way> ways = {
      {"extract, 1 thread", [&] { return by_extract(name, packets, 1); }, {}},
      {"1 ring", [&] { return by_rings(one, packets, 1); }, {}},
      {"1 ring, records leave", [&] { return by_rings(one, packets, 1, true); }, {}},
      {"1 ring, 2 threads for all", [&] { return by_rings(one, packets, 2); }, {}},
      {"2 rings, 1 thread", [&] { return by_rings(by_flow, packets, 1); }, {}},
      {"2 captures of a ring each", [&] { return by_captures(by_flow, packets); }, {}},
      {"2 rings by flow", [&] { return by_rings(by_flow, packets, 2); }, {}},
      {"2 rings anyhow", [&] { return by_rings(anyhow, packets, 2); }, {}},
      {"2 rings, 3 threads for all", [&] { return by_rings(by_flow, packets, 3); }, {}},
  };
  if (count > 3) {
    std::erase_if(ways, [&](const Way& way) { return std::string(way.name).find(words[3]) == std::string::npos; });
  }
  std::uint64_t metered = 0;
  for (int round = 0; round < rounds; ++round) {
    for (Way& way : ways) {
      const Measured measured = way.run();
      if (round == 0 && &way == &ways.front()) metered = measured.metered;
      way.lost += metered - measured.metered;
      way.ns.push_back(measured.ns);
    }
  }
  std::printf("%llu packets, CPU ns a packet: least and median of %d rounds\n",
              static_cast<unsigned long long>(packets), rounds);
  for (const Way& way : ways) {
    std::printf("  %-28s%8.1f%8.1f   %.2f of extract, %llu lost\n", way.name,
                *std::min_element(way.ns.begin(), way.ns.end()), median(way.ns),
                median(way.ns) / median(ways.front().ns), static_cast<unsigned long long>(way.lost));
  }
}
