// A pcap file read in chunks that are walked before it is known where they begin, and the same file read from first
// to last record: both must come to the same. Input: how long a chunk is, in how large pieces it is read, how many
// chunks are walked ahead; the file.
#include <array>
#include <vector>

#include "fuzz/memory_source.h"
#include "fuzz/read_frames.h"
#include "packet/file/chunked_pcap.h"
#include "packet/file/pcap_reader.h"
#include "warpmeter/link_type.h"

namespace warpmeter::fuzz {
namespace {

constexpr std::size_t kHead = 2;
constexpr std::size_t kMostAhead = 4;

struct CopiedFrame {
  std::int64_t time_ns;
  std::uint32_t captured, original;
  std::uint16_t link;
  std::vector<std::uint8_t> bytes;
  bool operator==(const CopiedFrame&) const = default;
};

struct Result {
  std::vector<CopiedFrame> frames;
  std::optional<Damage> damage;
  std::uint64_t bytes_read = 0;

  void add(const Frame& f) {
    frames.push_back({f.time_ns, f.captured, f.original, f.link, {f.data, f.data + f.captured}});
  }
};

void commit(ChunkedPcap& file, TraceChunk& chunk, FileView& view, Result& result) {
  file.commit(chunk, view);
  const std::size_t before = result.frames.size();
  while (file.read(chunk, view)) {
    for (const Frame& frame : chunk.block.frames) result.add(frame);
  }
  must(result.frames.size() == before + chunk.frames);
  must(chunk.damage.size() <= 1 && !(result.damage && !chunk.damage.empty()));
  if (!chunk.damage.empty()) result.damage = chunk.damage.front();
  result.bytes_read += chunk.bytes_read;
}

void read_chunks(const std::shared_ptr<ChunkedPcap>& file, const PcapCut& cut, std::size_t ahead, Result& result) {
  static std::array<TraceChunk, kMostAhead> chunks;  // their room is kept from one input to the next
  static FileView view;
  for (bool more = true; more;) {
    std::size_t claimed = 0;
    for (; claimed < ahead && more; claimed += more) {
      chunks[claimed].clear();
      more = file->claim(chunks[claimed], {.frames = 3}, cut);
    }
    for (std::size_t i = claimed; i-- > 0;) {
      while (file->read(chunks[i], view)) {
      }
    }
    for (std::size_t i = 0; i < claimed; ++i) commit(*file, chunks[i], view, result);
  }
}

void compare(const std::uint8_t* data, std::size_t size, std::uint8_t length, std::uint8_t how) {
  Result one, other;
  PcapReader reader("f", std::make_unique<MemorySource>(data, size));
  // Where another capture begins behind it, both end.
  std::size_t end = size;
  {
    PcapReader first("f", std::make_unique<MemorySource>(data, size));
    FrameBlock block;
    while (first.read(block, size)) {
    }
    if (!first.damage()) end = first.offset();
  }
  must(end == size || begins_next_file(data + end));
  must(read_frames(reader, end, [&one](const Frame& frame) { one.add(frame); }).empty());
  one.damage = reader.damage();

  const auto file = std::make_shared<ChunkedPcap>("f", std::make_shared<RegularFile>(data, size),
                                                  PcapFormat::parse(data), PcapReader::kFileHeader);
  PcapCut cut{.bytes = length % 128 * 4u};
  if (how % 8u) cut.at_once = how % 8u * 40u;
  read_chunks(file, cut, 1 + how / 8 % kMostAhead, other);
  must(one.frames == other.frames);
  must(one.damage.has_value() == other.damage.has_value());
  must(!one.damage || (one.damage->offset == other.damage->offset && one.damage->reason == other.damage->reason));
  // That zeros go on up to the end only one of the two reads.
  must(other.bytes_read == reader.offset() || (one.damage && one.damage->reason == fault_text(PcapFault::zeros, 0)));
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
