// What is told of a sample of the flows: octet by octet as RFC 7011 has Options Records, and no flow for who reads
// flows.
#include "record/ipfix/template_messages.h"

#include <gtest/gtest.h>

#include <bit>

#include "core/byte_order.h"
#include "core/ipfix_header.h"
#include "record/ipfix/ipfix_format.h"
#include "support/ipfix_reading.h"
#include "support/ipfix_records.h"
#include "support/random_flows.h"

namespace warpmeter {
namespace {

test::KeepingSink messages_of(std::uint32_t one_in) {
  test::KeepingSink sink;
  RecordLayout layout;
  layout.sample_one_in = one_in;
  const auto format = make_ipfix_format(layout, {.profile = IpfixProfile::plain, .observation_domain = 9});
  const auto writer = format->new_writer(sink);
  writer->begin();
  writer->end();
  return sink;
}

TEST(SamplingRecords, GoWithTheTemplates) {
  const test::KeepingSink sink = messages_of(64);
  const IpfixMessage& message = sink.templates.back();
  ASSERT_EQ(message.records, 2u);
  const test::Bytes& b = message.bytes;
  ASSERT_EQ(b.size(), kMessageHeader + 12 + 18);
  ASSERT_EQ(load_be16(&b[2]), b.size());
  EXPECT_EQ(observation_domain(message), 9u);
  EXPECT_EQ(load_be16(&b[16]), sampling_templates()[0].id);
  EXPECT_EQ(load_be16(&b[18]), 12u);
  EXPECT_EQ(load_be32(&b[20]), 9u);
  EXPECT_EQ(load_be32(&b[24]), 64u);
  EXPECT_EQ(load_be16(&b[28]), sampling_templates()[1].id);
  EXPECT_EQ(load_be16(&b[30]), 18u);
  EXPECT_EQ(load_be32(&b[32]), 9u);
  EXPECT_EQ(load_be16(&b[36]), 4u);
  const std::uint64_t probability = std::uint64_t{load_be32(&b[38])} << 32 | load_be32(&b[42]);
  EXPECT_EQ(std::bit_cast<double>(probability), 1.0 / 64);
  // Before it, their Options Templates: of the first, 2 elements with one of scope, samplingInterval (34) the second.
  const test::Bytes& t = sink.templates[sink.templates.size() - 2].bytes;
  EXPECT_EQ(load_be16(&t[16]), 3u);
  EXPECT_EQ(load_be16(&t[20]), sampling_templates()[0].id);
  EXPECT_EQ(load_be16(&t[22]), 2u);
  EXPECT_EQ(load_be16(&t[24]), 1u);
  EXPECT_EQ(load_be16(&t[26]), 149u);
  EXPECT_EQ(load_be16(&t[30]), 34u);
}

// Of a sample that changes the rate is told from the beginning, and each later one in its place.
TEST(SamplingRecords, ThatChange) {
  test::KeepingSink sink;
  RecordLayout layout;
  layout.sample_changes = true;
  const auto format = make_ipfix_format(layout, {.profile = IpfixProfile::plain});
  const auto writer = format->new_writer(sink);
  writer->begin();
  writer->tell_sample(2);
  writer->tell_sample(4);
  writer->end();
  const auto rate_of = [](const IpfixMessage& message) { return load_be32(&message.bytes[24]); };
  EXPECT_EQ(rate_of(sink.templates.back()), 1u);
  ASSERT_EQ(sink.added.size(), 2u);
  EXPECT_EQ(rate_of(sink.added[0]), 2u);
  EXPECT_EQ(rate_of(sink.added[1]), 4u);
  std::vector<IpfixMessage> repeated = sink.templates;
  for (const IpfixMessage& message : sink.added) keep(repeated, message);
  EXPECT_EQ(repeated.size(), sink.templates.size());
  EXPECT_EQ(rate_of(repeated.back()), 4u);
}

TEST(SamplingRecords, NoneOfAllFlows) {
  for (const IpfixMessage& message : messages_of(1).templates) EXPECT_EQ(message.records, 0u);
}

}  // namespace
}  // namespace warpmeter
