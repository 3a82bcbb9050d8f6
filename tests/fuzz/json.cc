// Flow Records as lines of JSON.
#include "fuzz/memory_file.h"
#include "fuzz/read_records.h"
#include "record/read/text_readers.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpmeter;
  const std::string& path = fuzz::memory_file(data, size);
  fuzz::read_records(size, [&] { return std::make_unique<JsonReader>(std::make_unique<TextSource>(path)); });
  return 0;
}
