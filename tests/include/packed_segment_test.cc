// What is packed comes back as it was, whatever it holds, and takes no more room than is said.
#include "core/packed_segment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "support/keys.h"
#include "support/same_segment.h"
#include "support/segment_maker.h"

namespace warpmeter::test {
namespace {

const Bytes kAddress6 = counting_bytes(16), kOther6 = Bytes(16, 0xfe);

// Packs and unpacks, behind words of others. Returns the form.
PackedForm expect_same(const FlowKey& key, const Segment& segment) {
  constexpr std::uint64_t kPlace = 3;
  const KeyedSegment keyed{hashed_key(key), segment};
  const PackedForm form = form_of(keyed);
  std::vector<std::uint64_t> words(kPlace, 0xabababababababab);
  for (unsigned i = 0; i < words_of(form); ++i) words.push_back(packed_word(keyed, i));
  const PackedSegment packed = pack(keyed, form, kPlace);
  EXPECT_EQ(form_of(packed), form);
  EXPECT_EQ(frame_of(packed, words.data()), segment.frame);
  const KeyedSegment got = unpack(packed, words.data());
  EXPECT_TRUE(flow_key(got.key) == key);
  EXPECT_TRUE(same_segment(got.segment, segment));
  EXPECT_EQ(hash_flow(got.key, 3).hash, hash_flow(key, 3).hash);
  return form;
}

Segment full_segment() {
  Segment s;
  s.time_ns = -(std::int64_t{1} << 61);
  s.identity_a = std::numeric_limits<std::uint64_t>::max();
  s.identity_b = s.sequence = std::numeric_limits<std::uint32_t>::max();
  s.frame = (1 << 23) - 1;
  s.length = 65535;
  s.payload_length = 65535 - 255;
  s.window = 65535;
  s.flags = 255;
  s.kind = kTcpSegment | kHasIdentity | kAnonymous;
  return s;
}

TEST(PackedSegment, OfIp4TakesNoMore) {
  EXPECT_EQ(expect_same(key_of({}), test_segment(0)), PackedForm::ip4);
  EXPECT_EQ(expect_same(key_of({.source = Bytes(4, 255),
                                .destination = Bytes(4, 255),
                                .source_port = 65535,
                                .destination_port = 65535,
                                .protocol = 255,
                                .vlan = 4095}),
                        full_segment()),
            PackedForm::ip4);
}

TEST(PackedSegment, OfIp6TakesItsAddresses) {
  EXPECT_EQ(expect_same(key_of({.source = kAddress6, .destination = kOther6, .vlan = 0x123}), full_segment()),
            PackedForm::ip6);
  EXPECT_EQ(words_of(PackedForm::ip6), 4u);
}

template <class Change>
PackedForm changed(Change change, const Bytes& address = {10, 0, 0, 1}) {
  Segment s = full_segment();
  change(s);
  return expect_same(key_of({.source = address, .destination = address, .vlan = 4000}), s);
}

TEST(PackedSegment, WhatDoesNotFitLiesElsewhere) {
  for (const Bytes& address : {Bytes(4, 9), kAddress6}) {
    EXPECT_EQ(changed([](Segment& s) { s.length = 65536; }, address), PackedForm::large);
    EXPECT_EQ(changed([](Segment& s) { s.frame = 1 << 23; }, address), PackedForm::large);
    EXPECT_EQ(changed([](Segment& s) { s.frame = s.length = s.payload_length = UINT32_MAX; }, address),
              PackedForm::large);
    EXPECT_EQ(changed([](Segment& s) { s.payload_length = 65535 - 256; }, address), PackedForm::large);
    EXPECT_EQ(changed([](Segment& s) { s.payload_length = 65535; }, address), PackedForm::large);  // no headers
    EXPECT_EQ(expect_same(key_of({.source = address, .destination = address, .vlan = 4096}), full_segment()),
              PackedForm::large);
    EXPECT_NE(changed([](Segment& s) { s.payload_length = 0; }, address), PackedForm::large);
  }
}

TEST(PackedSegment, AnythingComesBack) {
  std::mt19937_64 random(1);
  const auto draw = [&](std::uint64_t bits) { return random() & ((std::uint64_t{1} << bits) - 1); };
  for (int i = 0; i < 20'000; ++i) {
    const std::size_t size = i % 2 ? 16 : 4;
    Bytes source(size), destination(size);
    for (std::size_t b = 0; b < size; ++b) {
      source[b] = static_cast<std::uint8_t>(random());
      destination[b] = static_cast<std::uint8_t>(random());
    }
    Segment s;
    s.time_ns = static_cast<std::int64_t>(random()) / 2;
    s.identity_a = random();
    s.identity_b = static_cast<std::uint32_t>(random());
    s.sequence = static_cast<std::uint32_t>(random());
    s.frame = static_cast<std::uint32_t>(draw(24));
    s.length = static_cast<std::uint32_t>(draw(17));
    s.payload_length = random() % 4 ? s.length - std::min(s.length, static_cast<std::uint32_t>(draw(9))) : 0;
    s.window = static_cast<std::uint16_t>(random());
    s.flags = static_cast<std::uint8_t>(random());
    s.kind = static_cast<std::uint8_t>(draw(3));
    expect_same(key_of({.source = source,
                        .destination = destination,
                        .source_port = static_cast<std::uint16_t>(random()),
                        .destination_port = static_cast<std::uint16_t>(random()),
                        .protocol = static_cast<std::uint8_t>(random()),
                        .vlan = static_cast<std::uint16_t>(draw(13))}),
                s);
  }
}

}  // namespace
}  // namespace warpmeter::test
