// A segment with its Flow Key on the way to a device: 48 bytes, and 32 more if it is one of IPv6. Nothing is lost.
//
// What does not fit lies in words elsewhere: the addresses of IPv6, and where sizes are larger than their fields those
// too, of either version (an IPv6 jumbogram, or a frame beyond the largest batch). Where these lie is counted from a
// point that the segment does not know, forwards or backwards.
#pragma once

#include <cstdint>

#include "core/flow_hash.h"
#include "core/segment.h"

namespace warpmeter {

struct PackedSegment {
  std::int64_t time_ns;
  std::uint64_t addresses;  // PackedForm::ip4: source and destination as they lie in the key; else: place of the words
  std::uint64_t identity_a;
  std::uint64_t numbers;  // identity_b, sequence
  std::uint64_t sizes;    // ports as they lie in the key, length of the packet, window
  std::uint64_t rest;  // from bit 0 on: frame (23), VLAN id (12), kind (3), form (2), flags (8), protocol (8), length
                       // without payload if there is payload (8)
};
static_assert(sizeof(PackedSegment) == 48);

enum class PackedForm : unsigned {
  ip4,
  ip6,    // 4 words: the addresses, as in HashedKey
  large,  // 6 words: the addresses; length, payload length; frame, VLAN id as it lies in the key, version
};

// A segment with its key.
struct KeyedSegment {
  HashedKey key;
  Segment segment;
};

namespace packed_segment_detail {

inline constexpr unsigned kFrameBits = 23, kVlanBits = 12;
inline constexpr unsigned kVlanAt = 23, kKindAt = 35, kFormAt = 38, kFlagsAt = 40, kProtocolAt = 48, kHeadersAt = 56;

WARPMETER_HD inline std::uint64_t swapped16(std::uint64_t n) { return (n >> 8 | n << 8) & 0xffff; }
WARPMETER_HD inline std::uint64_t low32(std::uint64_t n) { return n & 0xffffffff; }

}  // namespace packed_segment_detail

// Word `i` of a segment that has some.
WARPMETER_HD inline std::uint64_t word_of(const PackedSegment& p, const std::uint64_t* words, unsigned i) {
  return words[static_cast<std::int64_t>(p.addresses) + i];
}

inline constexpr unsigned kMostPackedWords = 6;
WARPMETER_HD constexpr unsigned words_of(PackedForm form) {
  return form == PackedForm::ip4 ? 0 : form == PackedForm::ip6 ? 4 : kMostPackedWords;
}

WARPMETER_HD inline PackedForm form_of(const KeyedSegment& k) {
  using namespace packed_segment_detail;
  const Segment& s = k.segment;
  const std::uint64_t vlan = swapped16(k.key.rest >> 40 & 0xffff);
  const std::uint32_t headers = s.length - s.payload_length;
  const bool headers_fit = s.payload_length == 0 || (headers > 0 && headers < 256 && headers <= s.length);
  if (s.length >= 1u << 16 || s.frame >= 1u << kFrameBits || vlan >= 1u << kVlanBits || !headers_fit)
    return PackedForm::large;
  return k.key.rest >> 56 == 4 ? PackedForm::ip4 : PackedForm::ip6;
}

// `place`: of the words, if it has any. REQUIRES: `form` is its form.
WARPMETER_HD inline PackedSegment pack(const KeyedSegment& k, PackedForm form, std::int64_t place) {
  using namespace packed_segment_detail;
  const HashedKey& key = k.key;
  const Segment& s = k.segment;
  PackedSegment p;
  p.time_ns = s.time_ns;
  p.addresses =
      form == PackedForm::ip4 ? key.source_high | key.destination_high << 32 : static_cast<std::uint64_t>(place);
  p.identity_a = s.identity_a;
  p.numbers = s.identity_b | std::uint64_t{s.sequence} << 32;
  p.sizes = low32(key.rest) | std::uint64_t{s.window} << 48;
  p.rest = std::uint64_t{s.kind} << kKindAt | static_cast<std::uint64_t>(form) << kFormAt |
           std::uint64_t{s.flags} << kFlagsAt | (key.rest >> 32 & 0xff) << kProtocolAt;
  if (form == PackedForm::large) return p;
  p.sizes |= std::uint64_t{s.length} << 32;
  p.rest |= s.frame | swapped16(key.rest >> 40 & 0xffff) << kVlanAt;
  if (s.payload_length) p.rest |= std::uint64_t{s.length - s.payload_length} << kHeadersAt;
  return p;
}

// Word `i` of those of a segment that has some.
WARPMETER_HD inline std::uint64_t packed_word(const KeyedSegment& k, unsigned i) {
  const HashedKey& key = k.key;
  switch (i) {
    case 0: return key.source_high;
    case 1: return key.source_low;
    case 2: return key.destination_high;
    case 3: return key.destination_low;
    case 4: return k.segment.length | std::uint64_t{k.segment.payload_length} << 32;
    default: return k.segment.frame | (key.rest >> 40) << 32;
  }
}

WARPMETER_HD inline PackedForm form_of(const PackedSegment& p) {
  return static_cast<PackedForm>(p.rest >> packed_segment_detail::kFormAt & 3);
}

WARPMETER_HD inline std::uint32_t frame_of(const PackedSegment& p, const std::uint64_t* words) {
  if (form_of(p) == PackedForm::large) return static_cast<std::uint32_t>(word_of(p, words, 5));
  return static_cast<std::uint32_t>(p.rest & ((1u << packed_segment_detail::kFrameBits) - 1));
}

WARPMETER_HD inline KeyedSegment unpack(const PackedSegment& p, const std::uint64_t* words) {
  using namespace packed_segment_detail;
  const PackedForm form = form_of(p);
  KeyedSegment k{};
  HashedKey& key = k.key;
  Segment& s = k.segment;
  s.time_ns = p.time_ns;
  s.identity_a = p.identity_a;
  s.identity_b = static_cast<std::uint32_t>(p.numbers);
  s.sequence = static_cast<std::uint32_t>(p.numbers >> 32);
  s.window = static_cast<std::uint16_t>(p.sizes >> 48);
  s.flags = static_cast<std::uint8_t>(p.rest >> kFlagsAt);
  s.kind = static_cast<std::uint8_t>(p.rest >> kKindAt & 7);
  s.frame = frame_of(p, words);
  key.rest = low32(p.sizes) | (p.rest >> kProtocolAt & 0xff) << 32;
  if (form == PackedForm::ip4) {
    key.source_high = low32(p.addresses);
    key.destination_high = p.addresses >> 32;
  } else {
    key.source_high = word_of(p, words, 0);
    key.source_low = word_of(p, words, 1);
    key.destination_high = word_of(p, words, 2);
    key.destination_low = word_of(p, words, 3);
  }
  if (form == PackedForm::large) {
    s.length = static_cast<std::uint32_t>(word_of(p, words, 4));
    s.payload_length = static_cast<std::uint32_t>(word_of(p, words, 4) >> 32);
    key.rest |= word_of(p, words, 5) >> 32 << 40;
    return k;
  }
  const auto headers = static_cast<std::uint32_t>(p.rest >> kHeadersAt);
  s.length = static_cast<std::uint32_t>(p.sizes >> 32 & 0xffff);
  s.payload_length = headers ? s.length - headers : 0;
  const std::uint64_t version = form == PackedForm::ip4 ? 4 : 6;
  key.rest |= swapped16(p.rest >> kVlanAt & ((1u << kVlanBits) - 1)) << 40 | version << 56;
  return k;
}

}  // namespace warpmeter
