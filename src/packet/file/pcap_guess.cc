// Where does a pcap record begin?
//
// A pcap file has no marks: only the header of one record tells where the next begins. Yet many threads are to read
// one file, each from a place in its middle. So a thread guesses, and somebody else finds out later whether it was
// right.
//
// The idea: a record header holds four numbers that look like nothing else. Its two lengths are small, and in most
// files the captured one is not larger than the original, and its fraction of a second less than a second; its seconds
// are near those of the file. And it names the place of the next header, which must look the same. Four such headers
// in a row, a day apart at most, are taken for the truth. Payload that passes this by chance is rare: each of the four
// must pass, exactly where the one before it says.
//
// It is not impossible, though. A payload may hold a whole pcap file, as when somebody downloads one. Then every test
// here passes, and no more headers in the row would help. That is why nothing rests on a guess: chunks are committed
// in the order of the file, each commit tells where the next chunk must begin, and a chunk that began elsewhere is
// walked again (chunked_pcap.h). A wrong guess costs time, never an answer. Where guesses are wrong again and again,
// nobody guesses for a while.
//
// Nearly all places fail the first test, that of the captured length, which is one load; so that alone is in the loop.
#include "packet/file/pcap_guess.h"

#include <algorithm>

namespace warpmeter::inline packet {
namespace {

// More than any capture program keeps of a packet unless told to; the less passes here, the rarer a wrong guess.
constexpr std::uint32_t kMostCaptured = 256 << 10;

bool near(std::uint32_t a, std::uint32_t b, std::uint32_t distance) { return a - b + distance <= 2 * distance; }

}  // namespace

std::optional<std::uint64_t> PcapGuess::find(std::uint64_t begin, std::uint64_t end) const {
  return format_.swapped ? find_in<true>(begin, end) : find_in<false>(begin, end);
}

template <bool kSwapped>
std::optional<std::uint64_t> PcapGuess::find_in(std::uint64_t begin, std::uint64_t end) const {
  if (bytes_.end < format_.record_header) return std::nullopt;
  end = std::min(end, bytes_.end - format_.record_header + 1);
  for (std::uint64_t at = begin; at < end; ++at) {
    // One load decides almost everywhere: the bytes where the smaller length would be.
    const auto captured = load<std::uint32_t>(bytes_.at(at) + (format_.lengths_swapped ? 12 : 8));
    if ((kSwapped ? byte_swap(captured) : captured) > kMostCaptured && !format_.lengths_doubtful) continue;
    if (begins_chain<kSwapped>(at)) return at;
  }
  return std::nullopt;
}

template <bool kSwapped>
bool PcapGuess::begins_chain(std::uint64_t at) const {
  const std::uint32_t seconds = read_pcap_record<kSwapped>(format_, bytes_.at(at)).seconds;
  if (!near(seconds, seconds_, kNearFile)) return false;
  for (int i = 0; i < kChain && at != size_; ++i) {
    if (at > size_ || size_ - at < format_.record_header) return false;
    if (at + format_.record_header > bytes_.end) return i >= kShortChain;
    const PcapRecord record = read_pcap_record<kSwapped>(format_, bytes_.at(at));
    if (!looks_right(record) || !near(record.seconds, seconds, kNearChain)) return false;
    at += format_.record_header + std::uint64_t{record.captured};
  }
  return at <= size_;
}

bool PcapGuess::looks_right(const PcapRecord& record) const {
  // Zeros are common, and would make a header of a packet without length.
  return record.captured <= kMostCaptured && record.original > 0 && record.original <= kMaxCaptured &&
         (record.captured <= record.original || odd_.long_captured) &&
         (odd_.odd_fractions || !record.has_odd_fraction(format_));
}

}  // namespace warpmeter::inline packet
