#include "packet/write/capture_output.h"

namespace warpmeter::inline packet {

std::unique_ptr<OutputFile> open_capture_output(const std::string& name, unsigned threads,
                                                const std::atomic<bool>& interrupted) {
  auto file = std::make_unique<OutputFile>(name, &interrupted, nullptr, Readers::owner);
  if (const Packing packing = packing_of(name); packing != Packing::none) file->pack(packing, threads);
  return file;
}

}  // namespace warpmeter::inline packet
