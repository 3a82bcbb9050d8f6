// A pcap file and what captures follow it, read from first to last record.
#include "fuzz/memory_source.h"
#include "fuzz/read_frames.h"
#include "packet/file/capture_reader.h"
#include "packet/file/pcap_reader.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpmeter;
  auto source = std::make_unique<fuzz::MemorySource>(data, size);
  if (!PcapReader::recognises(*source)) return 0;
  try {
    ChainedReader reader("f", std::make_unique<PcapReader>("f", std::move(source)), {});
    const auto inside = [&](const Frame& frame) { fuzz::must(fuzz::lies_in(frame.data, frame.captured, data, size)); };
    fuzz::must(fuzz::read_frames(reader, size, inside).empty());
  } catch (const Error&) {  // the link type
  }
  return 0;
}
