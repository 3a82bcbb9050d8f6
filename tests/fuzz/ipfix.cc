// Flow Records as an IPFIX file.
#include "record/ipfix/ipfix_reader.h"

#include "fuzz/memory_file.h"
#include "fuzz/read_records.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpmeter;
  const std::string& path = fuzz::memory_file(data, size);
  fuzz::read_records(size, [&] { return make_ipfix_reader(path); });
  return 0;
}
