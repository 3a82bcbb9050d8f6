// Captures decoded to segments and metered from these are the captures metered: whatever files a trace is cut into, and
// these are decoded to, whatever partitions are metered, by whom and in which order.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "command/decode/decode_captures.h"
#include "command/merge/merge.h"
#include "kernels/tile_sizes.h"
#include "property/cut_capture.h"
#include "property/engine_under_test.h"
#include "property/in_process.h"
#include "reference/random_traffic.h"
#include "reference/reference.h"
#include "reference/reference_random.h"

namespace warpmeter {
namespace {

using test::file_text;
using test::InProcess;
using test::ScratchFolder;
using test::Setting;
using test::write_file;

const std::atomic<bool> kNeverStopped = false;

// How a trace is decoded and metered.
struct Way {
  unsigned threads, partitions, parts;
  std::uint32_t row_frames;
  std::uint64_t seed;
};

std::ostream& operator<<(std::ostream& out, const Way& way) {
  return out << "seed " << way.seed << ", threads " << way.threads << ", " << way.parts << " of " << way.partitions
             << " partitions, rows of " << way.row_frames;
}

Way random_way(std::uint64_t seed) {
  reference::Random random(seed);
  const unsigned partitions = 1u << random.below(7);
  unsigned parts = 1u << random.below(4);
  parts = std::min(parts, partitions);
  return {static_cast<unsigned>(1 + seed % 3), partitions, parts,
          static_cast<std::uint32_t>(random.percent(30) ? 1 << 18 : 1 + random.below(200)), seed};
}

// The trace in files, several of them a set. Returns the sets in order.
std::vector<std::string> decode_to_sets(const test::Captures& files, const reference::Options& wanted, const Way& way,
                                        const ScratchFolder& folder) {
  reference::Random random(way.seed + 1);
  std::vector<std::string> sets;
  for (std::size_t next = 0; next < files.size();) {
    DecodeCommandOptions options;
    const std::size_t end = std::min(files.size(), next + 1 + random.below(2));
    for (; next < end; ++next) {
      options.inputs.push_back(folder.file(std::to_string(next) + ".pcap"));
      write_file(options.inputs.back(), files[next]);
    }
    options.order = FileOrder::given;
    options.key_vlan = wanted.key_vlan;
    options.decapsulate = wanted.decapsulate;
    options.tunnel_ports = test::tunnel_ports_of(wanted);
    options.output = folder.file("set" + std::to_string(sets.size()));
    options.partitions = way.partitions;
    options.row_frames = way.row_frames;
    options.hash_seed = "the same for all";
    options.threads = way.threads;
    options.quiet = true;
    decode_captures(options, kNeverStopped);
    sets.push_back(options.output);
  }
  return sets;
}

struct FromSegments {
  std::string csv;
  std::uint64_t packets = 0, frames = 0;
};

// Each part by itself, then all together, in any order.
FromSegments meter_parts(const std::vector<std::string>& sets, const reference::Options& wanted, const Way& way,
                         const Setting& setting, const ScratchFolder& folder) {
  FromSegments metered;
  MergeOptions options;
  for (unsigned part = 1; part <= way.parts; ++part) {
    InProcess program;
    Setting of_part = setting;
    if (way.parts > 1) of_part.partition = {part, way.parts};
    const auto got = program.run_files(sets, wanted, of_part);
    metered.frames += got.stats["packets read"].get<std::uint64_t>();
    metered.packets += got.stats["packets metered"].get<std::uint64_t>();
    if (way.parts == 1) metered.csv = got.csv;
    options.files.push_back(folder.file("part" + std::to_string(part) + ".csv"));
    write_file(options.files.back(), got.csv);
  }
  if (way.parts == 1) return metered;
  std::rotate(options.files.begin(), options.files.begin() + static_cast<std::ptrdiff_t>(way.seed % way.parts),
              options.files.end());
  options.output.file = folder.file("merged.csv");
  if (wanted.first_packet) options.output.extra_columns.push_back(test::extra_column("first_packet"));
  options.quiet = true;
  merge(options, kNeverStopped);
  metered.csv = file_text(options.output.file);
  return metered;
}

void check_way(const reference::RandomCase& chosen, const Way& way, const Setting& setting) {
  const auto bytes = reference::random_traffic(chosen.shape);
  const ScratchFolder folder;
  const auto files = test::cut_in_three(bytes, chosen.shape.big_endian, way.seed);
  const auto sets = decode_to_sets(files, chosen.options, way, folder);
  InProcess whole;
  const auto expected = whole.run(files, chosen.options, {});
  const FromSegments got = meter_parts(sets, chosen.options, way, setting, folder);
  ASSERT_TRUE(test::same_csv(reference::flow_csv(bytes, chosen.options), got.csv))
      << way << ", " << setting << ", options " << test::arguments_text(chosen.options);
  ASSERT_EQ(got.frames, expected.stats["packets read"]) << way;
  ASSERT_EQ(got.packets, expected.stats["packets metered"]) << way;
}

TEST(Segments, AreMeteredAsTheCaptures) {
  for (std::uint64_t seed = 1; seed <= test::property_cases(240) / 3; ++seed) {
    reference::RandomCase chosen = seed % 4 == 0   ? reference::wrapped_case(seed)
                                   : seed % 4 == 1 ? reference::five_tuple_case(seed)
                                                   : reference::random_case(seed);
    chosen.shape.cut_file = false;
    const Way way = random_way(seed);
    check_way(chosen, way, {.threads = way.threads, .batch = static_cast<std::uint32_t>(1 + seed % 50)});
    if (HasFatalFailure()) return;
  }
}

// There all segments of a batch come in the order of their numbers, whatever files they lie in.
TEST(Segments, AreMeteredByADeviceAsTheCaptures) {
  for (std::uint64_t seed = 60'001; seed <= 60'000 + test::property_cases(test::kDeviceCases) / 4; ++seed) {
    reference::RandomCase chosen = seed % 2 ? reference::five_tuple_case(seed) : reference::random_case(seed);
    chosen.shape.cut_file = false;
    const Way way = random_way(seed);
    const Setting setting{.threads = way.threads,
                          .batch = static_cast<std::uint32_t>(1 + seed % 500),
                          .devices = static_cast<int>(1 + seed % 3)};
    const auto tiles = test::tile_sizes();
    check_way(chosen, way, test::on_engine_under_test(setting, {.tile = tiles[seed % tiles.size()]}));
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace warpmeter
