// A pcapng file and what captures follow it, read from first to last block.
#include "fuzz/memory_source.h"
#include "fuzz/read_frames.h"
#include "packet/file/capture_reader.h"
#include "packet/file/pcapng_reader.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpmeter;
  auto source = std::make_unique<fuzz::MemorySource>(data, size);
  if (!PcapngReader::recognises(*source)) return 0;
  ChainedReader reader("f", std::make_unique<PcapngReader>("f", std::move(source)), {});
  fuzz::read_frames(reader, size,
                    [&](const Frame& frame) { fuzz::must(fuzz::lies_in(frame.data, frame.captured, data, size)); });
  return 0;
}
