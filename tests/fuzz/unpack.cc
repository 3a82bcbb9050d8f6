// Compressed bytes, unpacked in two ways: the result must not depend on how they are cut. Input: the format (gzip,
// zstd, lz4, one of these two behind skippable frames), how long the pieces that go in and those that come out are, the
// bytes.
#include <algorithm>
#include <string>
#include <vector>

#include "fuzz/must.h"
#include "packet/file/unpacker.h"

namespace warpmeter::fuzz {
namespace {

constexpr std::size_t kHead = 3;
constexpr std::size_t kMost = 16 << 10;  // bytes that are unpacked: bombs are cut short

struct Result {
  std::vector<std::uint8_t> bytes;
  std::string problem;
  bool at_border = false;
  bool whole = false;  // not cut short
};

std::unique_ptr<Unpacker> make(std::uint8_t format) {
  switch (format % 4) {
    case 0: return make_gzip_unpacker();
    case 1: return make_zstd_unpacker();
    case 2: return make_lz4_unpacker();
    default: return make_skipping_unpacker();
  }
}

void unpack(std::uint8_t format, std::span<const std::uint8_t> in, std::size_t in_piece, std::size_t out_piece,
            Result& result) {
  const std::unique_ptr<Unpacker> unpacker = make(format);
  result.bytes.resize(kMost);
  result.whole = false;
  std::size_t given = 0;
  while (given < kMost) {
    const std::span<const std::uint8_t> piece = in.first(std::min(in.size(), in_piece));
    const std::span<std::uint8_t> room(result.bytes.data() + given, std::min(out_piece, kMost - given));
    const Unpacker::Step step = unpacker->unpack(piece, room);
    must(step.taken <= piece.size() && step.given <= room.size());
    in = in.subspan(step.taken);
    given += step.given;
    result.whole = !unpacker->problem().empty() || (in.empty() && step.given == 0);
    if (result.whole) break;
    must(step.taken > 0 || step.given > 0 || piece.empty());
  }
  result.bytes.resize(given);
  result.problem = unpacker->problem();
  result.at_border = unpacker->at_border();
}

}  // namespace
}  // namespace warpmeter::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpmeter::fuzz;
  if (size < kHead) return 0;
  static Result one, other;
  const std::span<const std::uint8_t> in(data + kHead, size - kHead);
  unpack(data[0], in, size, kMost, one);
  unpack(data[0], in, 1 + data[1], 1 + data[2], other);
  must(one.bytes == other.bytes);
  if (!one.whole || !other.whole) return 0;
  must(one.problem == other.problem);
  must(!one.problem.empty() || one.at_border == other.at_border);
  return 0;
}
