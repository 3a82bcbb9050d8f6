// Why a block was submitted, and why a connection ended, in the words of every output and summary.
#pragma once

#include <array>
#include <cstddef>

#include "warpmeter/tcp_stream.h"

namespace warpmeter {

// By number (StreamReason).
inline constexpr std::array<const char*, 8> kStreamReasonWords = {"none",    "size",  "fin", "rst",
                                                                  "timeout", "reuse", "end", "memory"};

constexpr const char* word_of(StreamReason reason) { return kStreamReasonWords[static_cast<std::size_t>(reason)]; }

}  // namespace warpmeter
