// A pcap file read in stretches that are walked before it is known where they begin, and the same file read from first
// to last record: both must come to the same. Input: how long a stretch is, how many cursors walk it, how many
// stretches are walked ahead; the file.
#include <array>
#include <vector>

#include "capture/pcap_reader.h"
#include "capture/stretched_pcap.h"
#include "fuzz/memory_source.h"
#include "fuzz/read_frames.h"
#include "warpmeter/link_type.h"

namespace warpmeter::fuzz {
namespace {

constexpr std::size_t kHead = 2;
constexpr std::size_t kMostAhead = 4;

struct Result {
  std::vector<Frame> frames;
  std::optional<Damage> damage;
  std::uint64_t bytes_read = 0;
};

bool same(const Frame& a, const Frame& b) {
  return a.data == b.data && a.time_ns == b.time_ns && a.captured == b.captured && a.original == b.original &&
         a.link == b.link;
}

void settle(StretchedPcap& file, Stretch& stretch, Result& result) {
  file.settle(stretch);
  for (const FrameBlock& part : stretch.parts) {
    result.frames.insert(result.frames.end(), part.frames.begin(), part.frames.end());
  }
  must(stretch.damage.size() <= 1 && !(result.damage && !stretch.damage.empty()));
  if (!stretch.damage.empty()) result.damage = stretch.damage.front();
  result.bytes_read += stretch.bytes_read;
}

void read_stretches(const std::shared_ptr<StretchedPcap>& file, const StretchOptions& options, std::size_t ahead,
                    Result& result) {
  static std::array<Stretch, kMostAhead> stretches;  // their room is kept from one input to the next
  for (bool more = true; more;) {
    std::size_t claimed = 0;
    for (; claimed < ahead && more; claimed += more) {
      stretches[claimed].clear();
      more = file->claim(stretches[claimed], options);
    }
    for (std::size_t i = claimed; i-- > 0;) file->walk(stretches[i]);
    for (std::size_t i = 0; i < claimed; ++i) settle(*file, stretches[i], result);
  }
}

void compare(const std::uint8_t* data, std::size_t size, std::uint8_t length, std::uint8_t how) {
  static Result one, other;
  one.frames.clear();
  PcapReader reader("f", std::make_unique<MemorySource>(data, size));
  must(read_frames(reader, size, [](const Frame& frame) { one.frames.push_back(frame); }).empty());
  one.damage = reader.damage();

  other.frames.clear();
  other.damage.reset();
  other.bytes_read = 0;
  const auto file = std::make_shared<StretchedPcap>("f", FileMapping::of_memory(data, size), PcapFormat::parse(data),
                                                    PcapReader::kFileHeader);
  const StretchOptions options{.frames = 3, .bytes = length % 128 * 4u, .cursors = how % 8u};
  read_stretches(file, options, 1 + how / 8 % kMostAhead, other);
  must(one.frames.size() == other.frames.size());
  for (std::size_t i = 0; i < one.frames.size(); ++i) must(same(one.frames[i], other.frames[i]));
  must(one.damage.has_value() == other.damage.has_value());
  must(!one.damage || (one.damage->offset == other.damage->offset && one.damage->reason == other.damage->reason));
  must(other.bytes_read == reader.offset());
}

}  // namespace
}  // namespace warpmeter::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpmeter;
  if (size < fuzz::kHead + PcapReader::kFileHeader) return 0;
  const std::uint8_t* file = data + fuzz::kHead;
  if (!PcapReader::is_magic(file) || !is_known_link(PcapFormat::parse(file).link)) return 0;
  fuzz::compare(file, size - fuzz::kHead, data[0], data[1]);
  return 0;
}
