// The interfaces that the pcapng files of a trace tell of, each with a number, for who writes packets into another
// capture: alike ones of several sections, or files, are one, as in captures that were put together or rotated. And the
// comments that their packets have (opt_comment among the options of a block).
//
// Threads: any, at once; a Section has one owner; comments as long as the frame stays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "core/byte_order.h"
#include "core/thread_annotations.h"
#include "packet/file/capture_reader.h"
#include "warpmeter/frame.h"

namespace warpmeter::inline packet {

class InterfaceList {
  // What tells two of them apart; the last: which of those of its section that are alike otherwise.
  using Key = std::tuple<std::uint16_t, std::uint32_t, std::string, std::string, std::size_t>;

 public:
  // Those of one section.
  class Section {
   public:
    explicit Section(InterfaceList& list) : list_(list) {}

    // The number, from 1 on, of the one that the section tells of next; 0: it would be one more than
    // kMostNumberedInterfaces (limits.h).
    std::uint16_t next(const InterfaceFacts& interface);

   private:
    InterfaceList& list_;
    std::map<Key, std::size_t> alike_;
  };

  // That of packets which come from no interface with a number: of a capture of this link type. REQUIRES: it is one
  // that is decoded, or kUnknownLink, which are fewer than 100.
  std::uint16_t of_link(std::uint16_t link);

  // REQUIRES: a number of this list.
  InterfaceFacts at(std::uint16_t number) const;

  // All numbers, in an order that depends on what the interfaces are alone.
  std::vector<std::uint16_t> in_order() const;

 private:
  static Key key_of(const InterfaceFacts& interface, std::size_t alike);
  std::uint16_t number_of(const InterfaceFacts& interface, std::size_t alike, bool of_section);

  mutable std::mutex mutex_;
  std::map<Key, std::uint16_t> numbers_ WARPMETER_GUARDED_BY(mutex_);
  std::vector<InterfaceFacts> interfaces_ WARPMETER_GUARDED_BY(mutex_);  // by number, less 1
  std::size_t of_sections_ WARPMETER_GUARDED_BY(mutex_) = 0;             // among these
};

// As Frame::options: so many words or more, the block's length in front of the packet tells.
inline constexpr std::uint16_t kManyOptions = 0x7fff;

// Bytes of the options of a packet.
inline std::size_t options_bytes(const Frame& frame) {
  constexpr std::size_t kWord = 4, kFields = 20,
                        kEnds = 12;  // of a block: before its packet; its type and both lengths
  const std::size_t words = frame.options & ~kSwappedOptions;
  if (words < kManyOptions) return words * kWord;
  const auto told = load<std::uint32_t>(frame.data - kFields - kWord);
  const std::size_t block = frame.options & kSwappedOptions ? byte_swap(told) : told;
  return block - kEnds - kFields - (std::size_t{frame.captured} + kWord - 1) / kWord * kWord;
}

// Calls take(std::string) for each comment of a packet, in their order. Options that make no sense end them.
template <class Take>
void each_comment(const Frame& frame, const Take& take) {
  constexpr std::uint16_t kEnd = 0, kComment = 1;
  constexpr std::size_t kWord = 4;
  const bool swapped = frame.options & kSwappedOptions;
  const std::uint8_t* at = frame.data + (std::size_t{frame.captured} + kWord - 1) / kWord * kWord;
  std::size_t left = options_bytes(frame);
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
