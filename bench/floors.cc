// The floors that a meter is measured against, on one core: `floors read FILE` reads the file with read(2) and looks at
// nothing; `floors walk FILE` maps it and follows the record headers of a little-endian pcap file from one to the next.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr std::size_t kFileHeader = 24;
constexpr std::size_t kRecordHeader = 16;

std::uint64_t read_all(int fd) {
  std::vector<char> buffer(1 << 20);
  std::uint64_t bytes = 0;
  for (ssize_t got; (got = read(fd, buffer.data(), buffer.size())) > 0;) bytes += static_cast<std::uint64_t>(got);
  return bytes;
}

std::uint64_t walk(int fd, std::size_t size) {
  void* mapped = mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) return 0;
  madvise(mapped, size, MADV_SEQUENTIAL);
  const auto* data = static_cast<const std::uint8_t*>(mapped);
  std::uint64_t packets = 0;
  for (std::size_t at = kFileHeader; at + kRecordHeader <= size; ++packets) {
    std::uint32_t captured;
    std::memcpy(&captured, data + at + 8, sizeof captured);
    const std::size_t whole = kRecordHeader + captured;
    __builtin_prefetch(data + at + 2 * whole);
    at += whole;
  }
  munmap(mapped, size);
  return packets;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc == 3 ? argv[1] : "";
  const int fd = argc == 3 ? open(argv[2], O_RDONLY | O_CLOEXEC) : -1;
  struct stat status {};
  if ((what != "read" && what != "walk") || fd < 0 || fstat(fd, &status) != 0) {
    std::fprintf(stderr, "usage: floors read|walk FILE\n");
    return 2;
  }
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t count = what == "read" ? read_all(fd) : walk(fd, static_cast<std::size_t>(status.st_size));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("%s: %llu %s in %.3f s\n", what.c_str(), static_cast<unsigned long long>(count),
              what == "read" ? "bytes" : "packets", seconds);
  return 0;
}
