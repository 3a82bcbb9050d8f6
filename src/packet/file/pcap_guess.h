// Guesses where a pcap record header begins, somewhere in a file: where several headers in a row look as headers do.
// A guess may be wrong (a payload can hold a whole pcap file) or miss; nothing may rely on it.
#pragma once

#include <cstdint>
#include <optional>

#include "packet/file/pcap_format.h"
#include "packet/file/regular_file.h"

namespace warpmeter::inline packet {

class PcapGuess {
 public:
  // How many headers in a row must look right; where the bytes end before, and the file does not, fewer are enough.
  static constexpr int kChain = 4;
  static constexpr int kShortChain = 2;
  // A header tells a time within this of the others in the chain, and within kNearFile of what the file is known to
  // hold.
  static constexpr std::uint32_t kNearChain = 24 * 3600;
  static constexpr std::uint32_t kNearFile = 366 * 24 * 3600;

  // What a file is known to hold: pcap records that captured more than there was; fractions below 0, or of a second and
  // more.
  struct Odd {
    bool long_captured = false, odd_fractions = false;
  };

  // `bytes` of a file of `size` bytes; they and the format must outlive it. `seconds`: a time that the file is known to
  // hold.
  PcapGuess(const PcapFormat& format, const FileBytes& bytes, std::uint64_t size, std::uint32_t seconds, Odd odd)
      : format_(format), bytes_(bytes), size_(size), seconds_(seconds), odd_(odd) {}

  // The first offset in [begin, end) where a header seems to be. REQUIRES: begin >= bytes.begin.
  std::optional<std::uint64_t> find(std::uint64_t begin, std::uint64_t end) const;

 private:
  template <bool kSwapped>
  std::optional<std::uint64_t> find_in(std::uint64_t begin, std::uint64_t end) const;
  template <bool kSwapped>
  bool begins_chain(std::uint64_t at) const;
  bool looks_right(const PcapRecord& record) const;

  const PcapFormat& format_;
  const FileBytes bytes_;
  const std::uint64_t size_;
  const std::uint32_t seconds_;
  const Odd odd_;
};

}  // namespace warpmeter::inline packet
