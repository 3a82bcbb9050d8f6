// A Parquet file. Input: how many bytes at the end are the footer (2 bytes, little endian), then pages and footer: what
// stands around them, which is the same in every file, is put there. Where bit 15 of the number is set, the input is
// the whole file.
//
// Nothing may take more memory than the limit of tools/fuzz, or more time, for so small a file.
#include <cstring>

#include "base/files/named_pipe.h"
#include "fuzz/input_bytes.h"
#include "fuzz/memory_file.h"
#include "fuzz/read_records.h"
#include "record/parquet/module/record_file_reader.h"

namespace warpmeter::fuzz {
namespace {

constexpr std::size_t kMostFlows = 50'000;  // which a file of so few bytes may have, where they are alike

std::string whole_file(InputBytes in) {
  const std::uint16_t footer = in.u16();
  const std::string content = in.rest();
  if (footer & 0x8000) return content;
  std::string file = "PAR1" + content;
  for (int i = 0; i < 4; ++i) file += static_cast<char>(footer >> 8 * i);
  return file + "PAR1";
}

}  // namespace
}  // namespace warpmeter::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpmeter;
  const std::string file = fuzz::whole_file({data, size});
  const std::string& path = fuzz::memory_file(reinterpret_cast<const std::uint8_t*>(file.data()), file.size());
  try {
    RecordFileReader reader(path, open_to_read(path));
    Biflow flow;
    std::size_t flows = 0;
    for (; flows < fuzz::kMostFlows && reader.next(flow); ++flows) {
      fuzz::check(flow.forward);
      if (flow.has_reverse) fuzz::check(flow.reverse);
    }
    if (flows == fuzz::kMostFlows) return 0;
    fuzz::must(!reader.next(flow));
    reader.layout();
    fuzz::must(!reader.damage() || !reader.damage()->reason.empty());
  } catch (const Error& error) {
    fuzz::must(std::string(error.what()).starts_with(path + ": "));
  }
  return 0;
}
