// HP-CAP's buffer of 1,024 bytes: the first two bytes say where in it the driver begins, the next two how far that is
// from the end of a file, the others are what it writes as room comes.
#include <algorithm>
#include <memory>

#include "core/byte_order.h"
#include "fuzz/must.h"
#include "packet/nic/feeder/hpcap_double.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpmeter;
  if (size < 4) return 0;
  const auto state = std::make_shared<test::HpcapState>(1024);
  state->write_offset = state->read_offset = load<std::uint16_t>(data) % state->buffer.size();
  state->file_offset = (HpcapRing::kFileBytes - load<std::uint16_t>(data + 2)) % HpcapRing::kFileBytes;
  const auto end = std::make_shared<HpcapEnd>();
  HpcapRing ring(std::make_unique<test::HpcapDouble>(state), "hpcap:0", 0, end);
  std::size_t at = 4, frames = 0;
  for (bool more = true; more;) {
    const std::size_t piece = std::min({size - at, state->buffer.size() - state->used, std::size_t{300}});
    state->write({data + at, data + at + piece});
    at += piece;
    more = piece > 0;
    while (auto block = ring.next()) {
      more = true;
      frames += block->frames;
      FrameBlock given;
      while (block->frames > 0) ring.frames_of(*block, 3, given);
      for (const Frame& frame : given.frames) fuzz::must(frame.time_ns >= 0 && 12u + frame.captured <= size);
    }
  }
  fuzz::must(12 * frames <= size && ring.counts().received == frames);
  fuzz::must(!end->was_said() || !end->why().empty());
  ring.shut();
  fuzz::must(!ring.next());
  return 0;
}
