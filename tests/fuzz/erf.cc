// An ERF file: whether it is taken for one, and read as one from first to last record.
#include "packet/file/erf_reader.h"

#include "fuzz/memory_source.h"
#include "fuzz/read_frames.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpmeter;
  auto source = std::make_unique<fuzz::MemorySource>(data, size);
  const bool recognised = ErfReader::recognises(*source);
  fuzz::must(!recognised || ErfReader::fits(*source));
  ErfReader reader("f", std::move(source));
  fuzz::read_frames(reader, size,
                    [&](const Frame& frame) { fuzz::must(fuzz::lies_in(frame.data, frame.captured, data, size)); });
  return 0;
}
