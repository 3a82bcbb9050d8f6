// A trace read in chunks, or its files in order, with copies of all that they held, to compare.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "packet/file/capture_reader.h"
#include "packet/file/trace.h"
#include "support/byte_writer.h"
#include "warpmeter/status.h"

namespace warpmeter::test {

struct TraceContent {
  // Packet number, time, length on the wire, link type, captured bytes.
  using Packet = std::tuple<std::uint64_t, std::int64_t, std::uint32_t, std::uint16_t, Bytes>;
  using Place = std::tuple<std::string, std::uint64_t, std::string>;
  std::vector<Packet> packets;
  std::vector<Place> damage;
  std::vector<std::uint64_t> skipped;  // bytes behind each place
  Skips skips;
  std::vector<OddFractions> odd_fractions;
  std::vector<std::string> unreadable;
  std::uint64_t bytes_read = 0, frames_read = 0;
  bool operator==(const TraceContent&) const = default;

  void add(std::uint64_t first_number, const FrameBlock& block) {
    for (const Frame& f : block.frames) {
      packets.emplace_back(first_number++, f.time_ns, f.original, f.link, Bytes(f.data, f.data + f.captured));
    }
  }
  void add(const Damage& d) {
    damage.emplace_back(d.file, d.offset, d.reason);
    skipped.push_back(d.skipped);
  }
  void finish(const Trace& trace) {
    for (const Damage& d : trace.damage()) add(d);
    skips = trace.findings().skips;
    odd_fractions = trace.findings().odd_fractions;
    unreadable = messages_of(trace.unreadable());
    bytes_read = trace.bytes_read();
    frames_read = trace.frames_read();
  }
};

// One file after the other, from the first frame to the last, by the readers that pipes have: what reading in chunks
// must come to.
inline TraceContent read_in_order(const std::vector<std::string>& files, const CaptureOptions& options = {}) {
  static const std::atomic<bool> never = false;
  TraceContent content;
  for (const std::string& file : files) {
    FrameBlock block;
    const auto reader = open_capture(file, never, options);
    try {
      while (reader->read(block, 1000)) {
        content.add(content.packets.size() + 1, block);
        block.clear();
      }
    } catch (const Error& error) {
      content.unreadable.emplace_back(error.what());
    }
    content.add(content.packets.size() + 1, block);
    for (const Damage& d : reader->skipped()) content.add(d);
    if (reader->damage()) content.add(*reader->damage());
    content.skips.add(reader->skips());
    if (const auto offset = reader->odd_fraction()) content.odd_fractions.push_back({file, *offset});
    content.bytes_read += reader->offset();
  }
  content.frames_read = content.packets.size();
  return content;
}

// How a trace is read: frames wanted in a chunk, and how pcap files are cut; 0 = as always.
struct Cut {
  std::size_t frames = ChunkOptions().frames;
  std::uint64_t bytes = 0, piece = 0;

  ChunkOptions options() const { return {.frames = frames}; }
  PcapCut pcap() const { return {.bytes = bytes, .at_once = piece ? piece : PcapCut().at_once}; }
};

// A chunk, and copies of what walking it gave.
struct ReadChunk {
  TraceChunk chunk;
  TraceContent found;
  FileView view;

  bool claim(Trace& trace, const Cut& cut) {
    chunk.clear();
    return trace.claim(chunk, cut.options(), cut.pcap());
  }
  void read() {
    found = {};
    while (Trace::read(chunk, view)) found.add(1 + found.packets.size(), chunk.block);
  }
};

// Commits one chunk after the other and keeps what they held.
class Committer {
 public:
  // `files_stay`: what is walked twice is the same both times.
  explicit Committer(Trace& trace, bool files_stay = true) : trace_(trace), files_stay_(files_stay) {}

  void commit(ReadChunk& one) {
    const bool right = trace_.commit(one.chunk, one.view);
    if (!right || files_stay_) {
      const TraceContent before = one.found;
      one.read();
      mistakes += right && before != one.found;
    }
    mistakes += one.chunk.frames != one.found.packets.size();
    mistakes += trace_.bytes_read() < bytes_read_ || trace_.frames_read() < content.packets.size();
    bytes_read_ = trace_.bytes_read();
    again += !right;
    chunks += one.chunk.file || one.chunk.frames > 0;  // at the end some may hold nothing
    for (TraceContent::Packet packet : one.found.packets) {
      std::get<0>(packet) += one.chunk.first_number - 1;
      content.packets.push_back(std::move(packet));
    }
  }

  TraceContent content;
  int mistakes = 0;         // promises not kept
  std::uint64_t again = 0;  // chunks that had to be decoded again
  std::uint64_t chunks = 0;

 private:
  Trace& trace_;
  const bool files_stay_;
  std::uint64_t bytes_read_ = 0;
};

// In one thread: `ahead` chunks are claimed and walked, the last one first, before the first of them is committed.
inline TraceContent read_ahead(Trace& trace, const Cut& cut, std::size_t ahead, Committer& committer) {
  std::vector<ReadChunk> chunks(ahead);
  for (bool more = true; more;) {
    std::size_t claimed = 0;
    while (claimed < ahead && (more = chunks[claimed].claim(trace, cut))) ++claimed;
    for (std::size_t i = claimed; i-- > 0;) chunks[i].read();
    for (std::size_t i = 0; i < claimed; ++i) committer.commit(chunks[i]);
  }
  committer.content.finish(trace);
  return committer.content;
}

// In several threads, each of which waits for its turn to commit.
inline TraceContent read_in_threads(Trace& trace, const Cut& cut, unsigned threads, Committer& committer) {
  std::mutex claiming, committing;
  std::condition_variable changed;
  std::uint64_t claims = 0, committed = 0;
  const auto work = [&] {
    ReadChunk mine;
    for (;;) {
      std::uint64_t turn;
      {
        const std::lock_guard lock(claiming);
        if (!mine.claim(trace, cut)) return;
        turn = claims++;
      }
      mine.read();
      std::unique_lock lock(committing);
      changed.wait(lock, [&] { return committed == turn; });
      committer.commit(mine);
      ++committed;
      changed.notify_all();
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (unsigned i = 1; i < threads; ++i) helpers.emplace_back(work);
    work();
  }
  committer.content.finish(trace);
  return committer.content;
}

}  // namespace warpmeter::test
