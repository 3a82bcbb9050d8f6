// A damaged capture of any format, read with --resync: what comes before the damage is what is read without, no byte is
// neither a packet's nor skipped, and all is the same from a pipe and, of a pcap file, in chunks. Input: how large the
// pieces of the pipe are, and the chunks; the file.
#include <algorithm>
#include <vector>

#include "fuzz/memory_source.h"
#include "fuzz/read_frames.h"
#include "packet/file/capture_reader.h"
#include "packet/file/chunked_pcap.h"
#include "packet/file/erf_reader.h"
#include "packet/file/hpcap_reader.h"
#include "packet/file/pcap_reader.h"
#include "packet/file/pcapng_reader.h"
#include "warpmeter/link_type.h"

namespace warpmeter::fuzz {
namespace {

constexpr std::size_t kHead = 2;

struct CopiedFrame {
  std::int64_t time_ns;
  std::uint32_t captured, original;
  std::uint16_t link;
  std::vector<std::uint8_t> bytes;
  bool operator==(const CopiedFrame&) const = default;
};

struct Result {
  std::vector<CopiedFrame> frames;
  std::vector<const std::uint8_t*> places;  // of their bytes
  std::optional<Damage> damage;
  std::vector<Damage> skipped;
  Skips skips;
  std::string why;  // it could not be read

  void add(const Frame& f) {
    frames.push_back({f.time_ns, f.captured, f.original, f.link, {f.data, f.data + f.captured}});
    places.push_back(f.data);
  }
  void finish(const CaptureReader& reader) {
    damage = reader.damage();
    skipped = reader.skipped();
    skips = reader.skips();
  }
};

std::unique_ptr<CaptureReader> open(std::unique_ptr<ByteSource> source, bool resync) {
  source->need(PcapReader::kFileHeader);
  const CaptureOptions options{.resync = resync};
  std::unique_ptr<CaptureReader> reader;
  if (PcapngReader::recognises(*source)) {
    reader = std::make_unique<PcapngReader>("f", std::move(source), options);
  } else if (PcapReader::recognises(*source)) {
    reader = std::make_unique<PcapReader>("f", std::move(source), options);
  } else if (ErfReader::recognises(*source)) {
    reader = std::make_unique<ErfReader>("f", std::move(source), options);
  } else if (HpcapReader::recognises(*source)) {
    reader = std::make_unique<HpcapReader>("f", std::move(source), resync);
  }
  return reader ? std::make_unique<ChainedReader>("f", std::move(reader), options) : nullptr;
}

Result read(CaptureReader& reader, std::size_t size) {
  Result result;
  result.why = read_frames(reader, size, [&result](const Frame& frame) { result.add(frame); });
  result.finish(reader);
  return result;
}

bool same(const Result& a, const Result& b) {
  return a.why == b.why && a.frames == b.frames && a.damage == b.damage && a.skipped == b.skipped && a.skips == b.skips;
}

// Places of damage do not overlap, and hold no packet.
void check_skipped(const Result& read, const std::uint8_t* data, std::size_t size) {
  std::uint64_t end = 0, bytes = 0;
  for (const Damage& place : read.skipped) {
    must(place.skipped > 0 && place.offset >= end);
    end = place.offset + place.skipped;
    bytes += place.skipped;
    must(end <= size);
    for (std::size_t i = 0; i < read.places.size(); ++i) {
      const auto at = static_cast<std::uint64_t>(read.places[i] - data);
      must(read.frames[i].captured == 0 || at >= end || at + read.frames[i].captured <= place.offset);
    }
  }
  must(read.skips.places == read.skipped.size() + read.skips.untold);
  must(read.skips.untold > 0 ? read.skips.bytes > bytes : read.skips.bytes == bytes);
}

// Of a pcap file that no other follows, headers and packets make up what is not skipped.
void check_sum(const Result& read, const std::uint8_t* data, std::size_t size) {
  std::uint64_t sum = PcapReader::kFileHeader + read.skips.bytes;
  for (const CopiedFrame& frame : read.frames) sum += PcapFormat::parse(data).record_header + frame.captured;
  must(sum == size);
}

// Chunk by chunk, as far as they go; then one reader goes on.
Result read_chunks(const std::uint8_t* data, std::size_t size, std::uint64_t bytes) {
  const auto file = std::make_shared<ChunkedPcap>("f", std::make_shared<RegularFile>(data, size),
                                                  PcapFormat::parse(data), PcapReader::kFileHeader, true);
  Result result;
  FileView view;
  TraceChunk chunk;
  while (file->claim(chunk, {.frames = 3}, {.bytes = bytes, .at_once = 64})) {
    while (file->read(chunk, view)) {
    }
    file->commit(chunk, view);
    if (chunk.found->goes_on) {
      const auto reader = file->reader_from(chunk, {.resync = true});
      result.why = read_frames(*reader, size, [&result](const Frame& frame) { result.add(frame); });
      result.finish(*reader);
      return result;
    }
    while (file->read(chunk, view)) {
      for (const Frame& frame : chunk.block.frames) result.add(frame);
    }
    chunk.clear();
  }
  return result;
}

void compare(const std::uint8_t* data, std::size_t size, std::uint8_t piece, std::uint8_t length) {
  const auto plain = open(std::make_unique<MemorySource>(data, size), false);
  if (!plain) return;
  const Result before = read(*plain, size);
  const Result whole = read(*open(std::make_unique<MemorySource>(data, size), true), size);
  if (whole.why.empty()) {  // behind the damage there may be but interfaces of unknown link types, too
    must(whole.frames.size() >= before.frames.size());
    must(std::equal(before.frames.begin(), before.frames.end(), whole.frames.begin()));
    must(before.damage || !before.why.empty() || before.frames.size() == whole.frames.size());
    check_skipped(whole, data, size);
  }
  must(same(whole, read(*open(std::make_unique<PieceSource>(data, size, 1 + piece), true), size)));
  if (!PcapReader::is_magic(data)) return;
  must(same(whole, read_chunks(data, size, 16 + length)));
  const bool chained = whole.damage.has_value() || std::any_of(data + 24, data + size, [&](const std::uint8_t& byte) {
                         return data + size - &byte >= 16 && begins_next_file(&byte);
                       });
  if (!chained) check_sum(whole, data, size);
}

}  // namespace
}  // namespace warpmeter::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpmeter;
  if (size < fuzz::kHead + PcapReader::kFileHeader) return 0;
  try {
    fuzz::compare(data + fuzz::kHead, size - fuzz::kHead, data[0], data[1]);
  } catch (const Error&) {  // the link type
  }
  return 0;
}
