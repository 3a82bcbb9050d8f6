// Seeded random captures, read in chunks by several threads: always what one walk from the first record to the last
// gives. All dialects, damage everywhere, payloads full of what looks like records, files cut at any byte.
#include <gtest/gtest.h>

#include <atomic>

#include "packet/file/pcap_format.h"
#include "property/in_process.h"
#include "reference/reference_random.h"
#include "support/chunks.h"
#include "support/pcap_file.h"
#include "support/pcapng_file.h"

namespace warpmeter::test {
namespace {

using reference::Random;

constexpr std::uint32_t kSeconds = 1'700'000'000;

PcapDialect random_dialect(Random& random) {
  PcapDialect dialect;
  dialect.order = random.pick({std::endian::little, std::endian::big});
  dialect.magic = random.pick({kPcapMicroseconds, kPcapNanoseconds, kPcapModified});
  dialect.minor = static_cast<std::uint16_t>(2 + random.below(3));
  dialect.link = static_cast<std::uint32_t>(random.pick({1, 101, 113}));
  return dialect;
}

// A record as this dialect writes it.
void add_record(PcapFile& file, const PcapDialect& dialect, std::uint32_t seconds, std::uint32_t original,
                const Bytes& bytes) {
  const auto captured = static_cast<std::uint32_t>(bytes.size());
  if (dialect.minor == 2) file.header(seconds, captured, original, captured);
  else file.header(seconds, captured, captured, original);
  file.raw(bytes);
}

// Records within a record, in the same dialect; the last one may claim more than its payload has.
Bytes look_alikes(Random& random, const PcapDialect& dialect, std::size_t size) {
  PcapFile inner(dialect);
  const std::size_t step = random.below(60);
  while (inner.size() < PcapFormat::kFileHeader + size) {
    add_record(inner, dialect, kSeconds, static_cast<std::uint32_t>(step + 1), Bytes(step));
  }
  const auto begin = inner.data().begin() + PcapFormat::kFileHeader;
  return {begin, begin + static_cast<std::ptrdiff_t>(size)};
}

Bytes random_payload(Random& random, const PcapDialect& dialect) {
  const std::size_t size = random.percent(2) ? random.below(50'000) : random.percent(20) ? 0 : random.below(300);
  switch (random.below(3)) {
    case 0: return look_alikes(random, dialect, size);
    case 1: return Bytes(size, static_cast<std::uint8_t>(random.bits()));
    default: {
      Bytes bytes(size);
      for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.bits());
      return bytes;
    }
  }
}

void damage(Random& random, Bytes& file) {
  if (random.percent(30))
    file.resize(PcapFormat::kFileHeader + random.below(file.size() - PcapFormat::kFileHeader + 1));
  if (random.percent(20) && file.size() > PcapFormat::kFileHeader) {
    file[PcapFormat::kFileHeader + random.below(file.size() - PcapFormat::kFileHeader)] ^=
        random.pick<std::uint8_t>({1, 0x80, 0xff});
  }
}

Bytes random_pcap(Random& random) {
  const PcapDialect dialect = random_dialect(random);
  PcapFile file(dialect);
  const std::uint64_t records = random.percent(10) ? 0 : random.below(400);
  const bool jumps = random.percent(10), long_captured = random.percent(10);
  std::uint32_t seconds = kSeconds;
  for (std::uint64_t i = 0; i < records; ++i) {
    seconds += jumps && random.percent(5) ? static_cast<std::uint32_t>(random.bits()) : random.percent(10);
    const Bytes payload = random_payload(random, dialect);
    const auto captured = static_cast<std::uint32_t>(payload.size());
    add_record(file, dialect, seconds,
               long_captured ? captured / 2 : captured + static_cast<std::uint32_t>(random.below(3)), payload);
  }
  if (random.percent(3)) add_record(file, dialect, seconds, 3 << 20, Bytes((2 << 20) + random.below(2), 7));
  Bytes bytes = file.data();
  damage(random, bytes);
  return bytes;
}

Bytes random_pcapng(Random& random) {
  PcapngFile file;
  file.interface(1);
  for (std::uint64_t i = random.below(50); i > 0; --i) file.enhanced(0, i, Bytes(random.below(100), 3));
  return file.data();
}

Cut random_cut(Random& random, std::uint64_t largest) {
  Cut cut;
  cut.frames = 1 + random.below(random.pick({3, 100, 10'000}));
  if (random.percent(70)) cut.bytes = 1 + random.below(random.pick<std::uint64_t>({20, 1000, 20'000, largest + 1}));
  // A byte at a time is a matter of small files.
  if (cut.bytes) cut.bytes = std::max<std::uint64_t>(cut.bytes, largest / 5'000);
  // A byte at a time is a matter of small files here too.
  if (random.percent(70))
    cut.piece = std::max(1 + random.below(random.pick<std::uint64_t>({20, 1000, 20'000})), largest / 5'000);
  return cut;
}

TEST(Chunks, GiveWhatOneWalkGives) {
  std::uint64_t again = 0, chunks = 0;
  for (std::uint64_t seed = 60'001; seed <= 60'000 + property_cases(if_long(300, 200)); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const ScratchFolder folder;
    const std::atomic<bool> stop = false;
    std::vector<std::string> files;
    std::uint64_t largest = 0;
    for (std::uint64_t i = 1 + random.below(4); i > 0; --i) {
      const Bytes bytes = random.percent(10) ? random_pcapng(random) : random_pcap(random);
      largest = std::max<std::uint64_t>(largest, bytes.size());
      files.push_back(folder.write("part" + std::to_string(i), bytes));
    }
    const TraceContent expected = read_in_order(files);
    for (int reading = 0; reading < 4; ++reading) {
      Trace trace(files, stop);
      Committer committer(trace);
      const Cut cut = random_cut(random, largest);
      SCOPED_TRACE(testing::Message() << cut.bytes << " bytes, " << cut.frames << " frames, pieces of " << cut.piece);
      if (reading % 2) read_ahead(trace, cut, 1 + random.below(20), committer);
      else read_in_threads(trace, cut, static_cast<unsigned>(1 + random.below(4)), committer);
      ASSERT_TRUE(committer.content == expected);
      ASSERT_EQ(committer.mistakes, 0);
      again += committer.again;
      chunks += committer.chunks;
    }
  }
  EXPECT_GT(again, chunks / 1000) << "wrong guesses were not met";
  EXPECT_LT(again, chunks / 2) << "guesses are no good";
}

}  // namespace
}  // namespace warpmeter::test
