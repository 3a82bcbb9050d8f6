// A capture of any format that comes in pieces, as from a pipe, and the same in one: both must be read alike. Input:
// how large the pieces are, the file.
#include <cstring>
#include <vector>

#include "fuzz/memory_source.h"
#include "fuzz/read_frames.h"
#include "packet/file/capture_reader.h"
#include "packet/file/erf_reader.h"
#include "packet/file/hpcap_reader.h"
#include "packet/file/pcap_reader.h"
#include "packet/file/pcapng_reader.h"

namespace warpmeter::fuzz {
namespace {

std::unique_ptr<CaptureReader> open(std::unique_ptr<ByteSource> source) {
  source->need(PcapReader::kFileHeader);
  if (PcapngReader::recognises(*source)) return std::make_unique<PcapngReader>("f", std::move(source));
  if (PcapReader::recognises(*source)) return std::make_unique<PcapReader>("f", std::move(source));
  if (ErfReader::recognises(*source)) return std::make_unique<ErfReader>("f", std::move(source));
  if (HpcapReader::recognises(*source)) return std::make_unique<HpcapReader>("f", std::move(source));
  return nullptr;
}

// The link type of a pcap file makes its reader throw before there is anything to compare.
std::unique_ptr<CaptureReader> try_to_open(std::unique_ptr<ByteSource> source) {
  try {
    auto reader = open(std::move(source));
    return reader ? std::make_unique<ChainedReader>("f", std::move(reader), CaptureOptions{}) : nullptr;
  } catch (const Error&) {
    return nullptr;
  }
}

bool same(const Frame& a, const Frame& b) {
  return a.time_ns == b.time_ns && a.captured == b.captured && a.original == b.original && a.link == b.link &&
         std::memcmp(a.data, b.data, a.captured) == 0;
}

bool same(const std::optional<Damage>& a, const std::optional<Damage>& b) {
  return a.has_value() == b.has_value() && (!a || (a->offset == b->offset && a->reason == b->reason));
}

void compare(const std::uint8_t* data, std::size_t size, std::size_t piece) {
  const auto whole = try_to_open(std::make_unique<MemorySource>(data, size));
  const auto pieces = try_to_open(std::make_unique<PieceSource>(data, size, piece));
  must((whole == nullptr) == (pieces == nullptr));
  if (!whole) return;
  static std::vector<Frame> frames;
  frames.clear();
  const std::string why = read_frames(*whole, size, [](const Frame& frame) { frames.push_back(frame); });
  std::size_t read = 0;
  const std::string same_why = read_frames(*pieces, size, [&](const Frame& frame) {
    must(read < frames.size() && same(frame, frames[read]));
    ++read;
  });
  must(read == frames.size() && why == same_why && same(whole->damage(), pieces->damage()));
}

}  // namespace
}  // namespace warpmeter::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 0) warpmeter::fuzz::compare(data + 1, size - 1, 1 + data[0] % 64);
  return 0;
}
