// The floors that a meter is measured against, on one core. All follow the record headers of a little-endian pcap file
// from one to the next, but for the first:
//
//   floors read FILE             reads the file with read(2) and looks at nothing
//   floors walk FILE             reads it as warpmeter does: in pieces of 256 KiB, which stay in the core's cache
//   floors count FILE            the same, and counts packets and bytes of flows (flow_counts.h)
//   floors headers FILE          walks, and hashes addresses and ports of TCP segments (payload_floor.h)
//   floors payload FILE          walks, and copies what they carry to a buffer that stays in the cache
//   floors chunks FILE KIBIBYTES walks with pieces of that size
//   floors cursors FILE N        maps it, and follows N places by turns, so that waiting for memory overlaps; where
//                                they begin has been looked up before the clock starts
//   floors populate FILE N       the same, each MiB of the mapping asked for beforehand (MADV_POPULATE_READ)
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flow_counts.h"
#include "payload_floor.h"

namespace {

constexpr std::size_t kFileHeader = 24;
constexpr std::ptrdiff_t kRecordHeader = 16;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kPiece = 256 << 10;  // as warpmeter's FileSource has it
constexpr std::size_t kStretch = 2 << 20;  // bytes that the cursors share

std::ptrdiff_t whole_record(const std::uint8_t* at) {
  std::uint32_t captured;
  std::memcpy(&captured, at + 8, sizeof captured);
  return kRecordHeader + captured;
}

// At the beginning of a page, as the file's bytes lie in the page cache: copied elsewhere they take twice as long.
struct alignas(4096) Piece {
  char bytes[1 << 20];
};

std::uint64_t read_all(int fd) {
  const auto piece = std::make_unique<Piece>();
  std::uint64_t bytes = 0;
  for (ssize_t got; (got = read(fd, piece->bytes, sizeof piece->bytes)) > 0;) bytes += static_cast<std::uint64_t>(got);
  return bytes;
}

// A piece at a time, each from the beginning of a page on, so that what was left of the last is read once more. `look`
// is called with each record, `end_of_piece` before they are overwritten. 0 if a record is longer than a piece.
template <class Look, class EndOfPiece>
std::uint64_t walk(int fd, std::size_t piece, Look look, EndOfPiece end_of_piece) {
  const std::size_t room = piece + kPage;
  const std::unique_ptr<std::uint8_t, decltype(&std::free)> buffer(
      static_cast<std::uint8_t*>(std::aligned_alloc(kPage, room)), std::free);
  std::uint64_t packets = 0, place = kFileHeader;
  for (;;) {
    const std::uint64_t begin = place / kPage * kPage;
    const ssize_t got = pread(fd, buffer.get(), room, static_cast<off_t>(begin));
    if (got < 0) return 0;
    const std::uint8_t *at = buffer.get() + (place - begin), *const end = buffer.get() + got;
    while (end - at >= kRecordHeader && end - at >= whole_record(at)) {
      look(at);
      at += whole_record(at);
      ++packets;
    }
    end_of_piece();
    const std::uint64_t next = begin + static_cast<std::uint64_t>(at - buffer.get());
    if (next == place) return static_cast<std::size_t>(got) == room ? 0 : packets;
    place = next;
  }
}

std::uint64_t walk_in_pieces(int fd, std::size_t piece) {
  return walk(
      fd, piece, [](const std::uint8_t*) {}, [] {});
}

std::uint64_t walk_and_count(int fd, std::size_t piece) {
  floors::FlowCounts flows;
  std::array<const std::uint8_t*, floors::FlowCounts::kRound> records;
  std::size_t held = 0;
  const auto count = [&] { flows.count(records, std::exchange(held, 0)); };
  const std::uint64_t packets = walk(
      fd, piece,
      [&](const std::uint8_t* record) {
        records[held++] = record;
        if (held == records.size()) count();
      },
      count);
  std::printf("flows: %llu\n", static_cast<unsigned long long>(flows.flows()));
  return packets;
}

std::uint64_t walk_and_hash(int fd) {
  std::uint64_t sum = 0;
  const std::uint64_t packets = walk(
      fd, kPiece, [&](const std::uint8_t* record) { sum += floors::TcpSegment(record).hash(); }, [] {});
  std::printf("sum of hashes: %llx\n", static_cast<unsigned long long>(sum));
  return packets;
}

std::uint64_t walk_and_copy(int fd) {
  floors::HotBuffer buffer;
  const std::uint64_t packets = walk(
      fd, kPiece, [&](const std::uint8_t* record) { buffer.add(floors::TcpSegment(record).payload()); }, [] {});
  std::printf("payload: %llu bytes\n", static_cast<unsigned long long>(buffer.bytes()));
  return packets;
}

// Where the records begin that cross every `part` bytes.
std::vector<std::size_t> places(const std::uint8_t* data, std::size_t size, std::size_t part) {
  std::vector<std::size_t> found;
  for (std::size_t at = kFileHeader; at + kRecordHeader <= size; at += whole_record(data + at)) {
    if (at >= part * found.size()) found.push_back(at);
  }
  found.push_back(size);
  return found;
}

std::uint64_t walk_by_turns(const std::uint8_t* data, const std::vector<std::size_t>& begins, std::size_t cursors) {
  std::uint64_t packets = 0;
  for (std::size_t first = 0; first + 1 < begins.size(); first += cursors) {
    const std::size_t count = std::min(cursors, begins.size() - 1 - first);
    std::vector<std::size_t> at(begins.begin() + static_cast<std::ptrdiff_t>(first),
                                begins.begin() + static_cast<std::ptrdiff_t>(first + count));
    for (bool more = true; more;) {
      more = false;
      for (std::size_t i = 0; i < count; ++i) {
        if (at[i] >= begins[first + i + 1]) continue;
        at[i] += whole_record(data + at[i]);
        ++packets;
        more = true;
      }
    }
  }
  return packets;
}

class Clock {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

int report(const std::string& what, std::uint64_t count, double seconds) {
  std::printf("%s: %llu %s in %.3f s\n", what.c_str(), static_cast<unsigned long long>(count),
              what == "read" ? "bytes" : "packets", seconds);
  return count > 0 ? 0 : 1;
}

int measure_mapped(const std::string& what, int fd, std::size_t size, std::size_t cursors) {
  void* mapped = mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) return 1;
  madvise(mapped, size, MADV_SEQUENTIAL);
  const auto* data = static_cast<const std::uint8_t*>(mapped);
  const std::vector<std::size_t> begins = places(data, size, kStretch / cursors);
  munmap(mapped, size);
  const Clock clock;
  mapped = mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
  for (std::size_t at = 0; what == "populate" && at < size; at += 1 << 20) {
    madvise(static_cast<char*>(mapped) + at, std::min<std::size_t>(1 << 20, size - at), MADV_POPULATE_READ);
  }
  const std::uint64_t packets = walk_by_turns(static_cast<const std::uint8_t*>(mapped), begins, cursors);
  munmap(mapped, size);
  return report(what, packets, clock.seconds());
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  constexpr std::string_view kSimple[] = {"read", "walk", "count", "headers", "payload"};
  const bool simple = std::ranges::count(kSimple, what) > 0;
  const bool numbered = what == "cursors" || what == "populate" || what == "chunks";
  const std::size_t number = argc == 4 ? std::strtoul(argv[3], nullptr, 10) : 0;
  const int fd = argc > 2 ? open(argv[2], O_RDONLY | O_CLOEXEC) : -1;
  struct stat status {};
  if (!((simple && argc == 3) || (numbered && number > 0)) || fd < 0 || fstat(fd, &status) != 0) {
    std::fprintf(stderr,
                 "usage: floors read|walk|count|headers|payload FILE, floors cursors|populate FILE N, "
                 "floors chunks FILE KIBIBYTES\n");
    return 2;
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  if (what == "cursors" || what == "populate") return measure_mapped(what, fd, size, number);
  const Clock clock;
  const std::uint64_t count = what == "read"      ? read_all(fd)
                              : what == "count"   ? walk_and_count(fd, kPiece)
                              : what == "headers" ? walk_and_hash(fd)
                              : what == "payload" ? walk_and_copy(fd)
                                                  : walk_in_pieces(fd, what == "walk" ? kPiece : number << 10);
  return report(what, count, clock.seconds());
}
