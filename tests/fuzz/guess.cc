// Where in a file a pcap record header may begin. Input: the file header's magic number and version, the place to begin
// at, a time that the file holds, whether it holds records longer than on the wire, or with odd fractions, and whether
// it goes on behind what is shown; the file, without its header.
#include "fuzz/must.h"
#include "packet/file/pcap_guess.h"

namespace warpmeter::fuzz {
namespace {

constexpr std::size_t kHead = 8;
constexpr std::uint32_t kMagics[] = {0xa1b2c3d4, 0xa1b23c4d, 0xa1b2cd34};

PcapFormat format_of(std::uint8_t kind) {
  const std::uint32_t magic = kMagics[kind % 3];
  std::uint8_t header[PcapFormat::kFileHeader] = {};
  const bool swapped = kind & 64;
  const auto minor = static_cast<std::uint16_t>(2 + kind / 3 % 3);  // 2.2 has swapped lengths, 2.3 doubtful ones
  if (swapped) {
    store_be32(header, magic);
    store_be16(header + 4, 2);
    store_be16(header + 6, minor);
  } else {
    store_be32(header, byte_swap(magic));
    store_be16(header + 4, byte_swap(std::uint16_t{2}));
    store_be16(header + 6, byte_swap(minor));
  }
  return PcapFormat::parse(header);
}

}  // namespace
}  // namespace warpmeter::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpmeter;
  if (size < fuzz::kHead) return 0;
  const PcapFormat format = fuzz::format_of(data[0]);
  const std::uint64_t bytes = size - fuzz::kHead;
  const std::uint64_t begin = data[1], end = begin + load<std::uint16_t>(data + 2);
  const std::uint64_t beyond = data[0] & 32 ? 1000 : 0;  // bytes of the file that are not shown
  const PcapGuess guess(format, {data + fuzz::kHead, 0, bytes, beyond == 0}, bytes + beyond,
                        load<std::uint32_t>(data + 4),
                        {.long_captured = (data[0] & 128) != 0, .odd_fractions = (data[0] & 16) != 0});
  const auto found = guess.find(begin, end);
  fuzz::must(!found || (*found >= begin && *found < end && *found + format.record_header <= bytes));
  fuzz::must(!found || guess.find(*found, *found + 1) == found);
  return 0;
}
