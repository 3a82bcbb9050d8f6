// Captures that are damaged anywhere, in ways that disks and networks have, and read with --resync: what comes before
// the damage is as ever, every byte is a packet's or counted, and all of that is the same for any number of threads and
// size of chunks.
#include <gtest/gtest.h>

#include <random>

#include "support/chunks.h"
#include "support/fewer.h"
#include "support/pcap_file.h"
#include "support/pcapng_file.h"
#include "support/random_bytes.h"
#include "support/scratch_folder.h"

namespace warpmeter::test {
namespace {

constexpr std::uint32_t kSeconds = 1'700'000'000;
constexpr unsigned kSeeds = fewer(150);

class Random {
 public:
  explicit Random(unsigned seed) : numbers_(seed) {}
  std::uint32_t operator()() { return static_cast<std::uint32_t>(numbers_()); }

 private:
  std::mt19937 numbers_;
};

struct Sound {
  Bytes file;
  std::vector<std::uint64_t> begins;  // of the records
};

Sound sound_pcap(Random& random) {
  constexpr std::uint32_t kMagics[] = {kPcapMicroseconds, kPcapNanoseconds, kPcapModified};
  const PcapDialect dialect{.order = random() % 2 ? std::endian::big : std::endian::little,
                            .magic = kMagics[random() % 3],
                            .minor = static_cast<std::uint16_t>(2 + random() % 3)};
  PcapFile file(dialect);
  Sound sound;
  const std::uint32_t count = 20 + random() % 200;
  for (std::uint32_t i = 0; i < count; ++i) {
    sound.begins.push_back(file.size());
    const std::size_t bytes = random() % 5 ? random() % 100 : random() % 3000;
    file.record(kSeconds + i / 3, random() % 1000, random_bytes(bytes, random()));
  }
  sound.file = file.data();
  return sound;
}

Sound sound_pcapng(Random& random) {
  PcapngFile file(random() % 2 ? std::endian::big : std::endian::little);
  file.interface(1).interface(101);
  Sound sound;
  const std::uint32_t count = 20 + random() % 200;
  for (std::uint32_t i = 0; i < count; ++i) {
    sound.begins.push_back(file.size());
    file.enhanced(random() % 2, i, random_bytes(random() % 200, random()));
  }
  sound.file = file.data();
  return sound;
}

// Returns the first byte that is not as it was. The file header stays.
std::uint64_t damage(Bytes& file, Random& random) {
  const std::size_t at = 100 + random() % (file.size() - 100);
  const auto begin = file.begin() + static_cast<std::ptrdiff_t>(at);
  const auto some = [&](std::size_t most) {
    return static_cast<std::ptrdiff_t>(1 + random() % std::min(most, file.size() - at));
  };
  switch (random() % 5) {
    case 0: *begin = static_cast<std::uint8_t>(*begin ^ 1u << random() % 8); break;
    case 1: file.erase(begin, begin + some(400)); break;
    case 2: file.insert(begin, 1 + random() % 600, 0); break;
    case 3: std::fill(begin, begin + some(1000), random() % 2 ? 0 : 0xff); break;
    case 4: {
      const Bytes noise = random_bytes(static_cast<std::size_t>(some(1000)), random());
      std::copy(noise.begin(), noise.end(), begin);
      break;
    }
  }
  return at;
}

void expect_same(const TraceContent& a, const TraceContent& b) {
  EXPECT_TRUE(a.packets == b.packets);
  EXPECT_EQ(a.damage, b.damage);
  EXPECT_EQ(a.skipped, b.skipped);
  EXPECT_EQ(a.skips, b.skips);
  EXPECT_EQ(a.frames_read, b.frames_read);
}

std::size_t header_of(const Sound& sound, const Bytes& file) {
  return file[0] == 0x0a ? 0 : sound.begins.size() > 1 && (file[0] == 0x34 || file[3] == 0x34) ? 24 : 16;
}

void check(const Sound& sound, Random& random) {
  Bytes file = sound.file;
  std::uint64_t first = file.size();
  for (unsigned n = 1 + random() % 4; n > 0; --n) first = std::min(first, damage(file, random));
  const ScratchFolder folder;
  const std::string path = folder.write("capture", file);
  const CaptureOptions options{.resync = true};
  const TraceContent in_order = read_in_order({path}, options);
  ASSERT_TRUE(in_order.unreadable.empty());
  const auto before = std::upper_bound(sound.begins.begin(), sound.begins.end(), first) - sound.begins.begin() - 1;
  ASSERT_GE(static_cast<std::ptrdiff_t>(in_order.packets.size()), before);
  const std::string whole = folder.write("whole", sound.file);
  const TraceContent sound_content = read_in_order({whole});
  EXPECT_TRUE(std::equal(in_order.packets.begin(), in_order.packets.begin() + before, sound_content.packets.begin()));
  if (const std::size_t header = header_of(sound, sound.file)) {
    std::uint64_t good = 24;
    for (const auto& packet : in_order.packets) good += header + std::get<4>(packet).size();
    EXPECT_EQ(good + in_order.skips.bytes, file.size());
  }
  std::atomic<bool> stop = false;
  for (const unsigned threads : {1u, 2u, 5u}) {
    SCOPED_TRACE(threads);
    Trace trace({path}, stop, {.capture = options});
    Committer committer(trace);
    const Cut cut{.frames = 1 + random() % 50, .bytes = 16 + random() % 3000, .piece = 16 + random() % 500};
    expect_same(read_in_threads(trace, cut, threads, committer), in_order);
    EXPECT_EQ(committer.mistakes, 0);
  }
}

TEST(ResyncProperty, PcapFiles) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    check(sound_pcap(random), random);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(ResyncProperty, PcapngFiles) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    check(sound_pcapng(random), random);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace warpmeter::test
