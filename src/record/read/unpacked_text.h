// Compressed text of Flow Records (gzip, zstd, lz4), unpacked by what src/capture unpacks captures with.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "record/read/text_source.h"

namespace warpmeter::inline record {

// What `text` unpacks to, on a thread of its own, and in `packing` the name of the compression; `text` itself and an
// empty name if it is not compressed. Throws Error where this build cannot unpack it.
std::unique_ptr<TextSource> unpacked_text(std::unique_ptr<TextSource> text, const std::atomic<bool>* interrupted,
                                          std::string& packing);

}  // namespace warpmeter::inline record
