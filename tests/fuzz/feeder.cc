// A ring that a feeder shares: the first 256 bytes are its header, the others its data from the beginning on.
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "fuzz/must.h"
#include "packet/file/limits.h"
#include "packet/nic/feeder/feeder_queue.h"
#include "warpmeter/link_type.h"
#include "warpmeter/status.h"

namespace {

using namespace warpmeter;

constexpr std::size_t kBytes = WMF_HEADER_BYTES + WMF_LEAST_DATA;

void take_all(FeederQueue& queue, CopiedFrames& frames) {
  std::uint64_t bytes = 0;
  do {
    frames.clear();
    queue.take(frames);
    for (const Frame& frame : frames.frames()) {
      fuzz::must(frame.captured <= WMF_MOST_CAPTURED && frame.original >= frame.captured);
      fuzz::must(frame.time_ns >= -kMaxTimeNs && frame.time_ns < kMaxTimeNs && is_known_link(frame.link));
      bytes += sizeof(wmf_record) + frame.captured;
    }
  } while (!frames.is_empty());
  fuzz::must(bytes <= WMF_LEAST_DATA);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static CopiedFrames frames;
  const std::shared_ptr<std::uint8_t> memory(new (std::align_val_t(64)) std::uint8_t[kBytes](),
                                             [](std::uint8_t* at) { ::operator delete[](at, std::align_val_t(64)); });
  const std::size_t header = std::min(size, sizeof(wmf_header));
  if (header > 0) std::memcpy(memory.get(), data, header);
  const std::size_t records = std::min<std::size_t>(size - header, WMF_LEAST_DATA);
  if (records > 0) std::memcpy(memory.get() + WMF_HEADER_BYTES, data + header, records);
  try {
    FeederQueue queue({memory, kBytes}, 0, 1);
    take_all(queue, frames);
    const FeederQueue::Counts counts = queue.count();
    const bool damaged = !queue.damage().empty();
    wmf_header after;
    std::memcpy(&after, memory.get(), sizeof after);
    fuzz::must(damaged || after.read == after.write);
    fuzz::must(counts.dropped <= after.offered);
    queue.shut();
    take_all(queue, frames);
  } catch (const Error& error) {
    fuzz::must(error.what()[0] != 0);
  }
  return 0;
}
