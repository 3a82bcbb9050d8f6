// The comments that a packet of a pcapng file has (opt_comment among the options of its block).
//
// Threads: any, as long as the frame stays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/byte_order.h"
#include "warpmeter/frame.h"

namespace warpmeter::inline packet {

// Calls take(std::string) for each, in their order. Options that make no sense end them.
template <class Take>
void each_comment(const Frame& frame, const Take& take) {
  constexpr std::uint16_t kEnd = 0, kComment = 1;
  constexpr std::size_t kWord = 4;
  const bool swapped = frame.options & kSwappedOptions;
  const std::uint8_t* at = frame.data + (std::size_t{frame.captured} + kWord - 1) / kWord * kWord;
  std::size_t left = (frame.options & ~kSwappedOptions) * kWord;
  while (left >= kWord) {
    const auto code = load<std::uint16_t>(at), size = load<std::uint16_t>(at + 2);
    const std::size_t length = swapped ? byte_swap(size) : size, padded = (length + kWord - 1) / kWord * kWord;
    if (code == kEnd || padded > left - kWord) return;
    if (code == (swapped ? byte_swap(kComment) : kComment)) {
      take(std::string(reinterpret_cast<const char*>(at) + kWord, length));
    }
    at += kWord + padded;
    left -= kWord + padded;
  }
}

}  // namespace warpmeter::inline packet
