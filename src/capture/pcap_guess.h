// Guesses where a pcap record header begins, somewhere in a file: where several headers in a row look as headers do.
// A guess may be wrong (a payload can hold a whole pcap file) or miss; nothing may rely on it.
#pragma once

#include <cstdint>
#include <optional>

#include "capture/pcap_format.h"

namespace warpmeter {

class PcapGuess {
 public:
  // How many headers in a row must look right.
  static constexpr int kChain = 4;
  // A header tells a time within this of the others in the chain, and within kNearFile of what the file is known to
  // hold.
  static constexpr std::uint32_t kNearChain = 24 * 3600;
  static constexpr std::uint32_t kNearFile = 366 * 24 * 3600;

  // `size` bytes of a file at `data`, which must outlive it. `seconds`: a time that the file is known to hold.
  // `long_captured`: it holds pcap records that captured more than there was.
  PcapGuess(const PcapFormat& format, const std::uint8_t* data, std::uint64_t size, std::uint32_t seconds,
            bool long_captured)
      : format_(format), data_(data), size_(size), seconds_(seconds), long_captured_(long_captured) {}

  // The first offset in [begin, end) where a header seems to be.
  std::optional<std::uint64_t> find(std::uint64_t begin, std::uint64_t end) const;

 private:
  template <bool kSwapped>
  std::optional<std::uint64_t> find_in(std::uint64_t begin, std::uint64_t end) const;
  template <bool kSwapped>
  bool begins_chain(std::uint64_t at) const;
  bool looks_right(const PcapRecord& record) const;

  const PcapFormat& format_;
  const std::uint8_t* const data_;
  const std::uint64_t size_;
  const std::uint32_t seconds_;
  const bool long_captured_;
};

}  // namespace warpmeter
