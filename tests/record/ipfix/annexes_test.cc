// Annexes in IPFIX: what is written comes back, whatever values a flow has, and takes no place of others.
#include <gtest/gtest.h>

#include <random>

#include "record/ipfix/ipfix_format.h"
#include "record/ipfix/record_encoder.h"
#include "support/annexes.h"
#include "support/ipfix_file.h"
#include "support/ipfix_reading.h"
#include "support/random_flows.h"

namespace warpmeter {
namespace {

class AnnexBytes : public ByteSink {
 public:
  void write(const void* bytes, std::size_t count) override {
    const auto* from = static_cast<const std::uint8_t*>(bytes);
    all.insert(all.end(), from, from + count);
  }
  test::Bytes all;
};

struct AnnexedFlow {
  Biflow flow;
  Annotations noted;
};

std::vector<AnnexedFlow> annexed_flows(bool biflow, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  test::RandomFlows flows(seed, {.biflow = biflow});
  std::vector<AnnexedFlow> all;
  for (int i = 0; i < 400; ++i) {
    AnnexedFlow& one = all.emplace_back(AnnexedFlow{flows.next(), {}});
    if (i % 3) one.noted.add_annex(false, test::random_annex(random));
    if (one.flow.has_reverse && i % 5) one.noted.add_annex(true, test::random_annex(random));
  }
  return all;
}

test::Bytes annexed_file(const std::vector<AnnexedFlow>& flows, const RecordLayout& layout, IpfixProfile profile) {
  AnnexBytes file;
  IpfixFileSink sink(file);
  const auto format = make_ipfix_format(layout, {profile});
  const auto writer = format->new_writer(sink);
  const std::unique_ptr<RecordSection> section = writer->format().new_section();
  for (const auto& [flow, noted] : flows) {
    section->write_annotated(flow.forward, flow.has_reverse ? &flow.reverse : nullptr, noted);
  }
  writer->append(*section);
  writer->end();
  return file.all;
}

TEST(IpfixAnnexes, ComeBack) {
  for (const bool biflow : {false, true}) {
    const std::vector<AnnexedFlow> flows = annexed_flows(biflow, 3);
    const RecordLayout layout{.biflow = biflow, .extra = annex_columns(~0u, biflow ? ~0u : 0)};
    const test::ScratchFolder folder;
    IpfixReader reader(folder.write("x.ipfix", annexed_file(flows, layout, IpfixProfile::everything)));
    Biflow flow;
    for (const AnnexedFlow& wanted : flows) {
      ASSERT_TRUE(reader.next(flow));
      for (const bool reverse : {false, true}) {
        const Annex *const had = wanted.noted.annex(reverse), *const read = reader.annotations().annex(reverse);
        if (reverse && !flow.has_reverse) continue;  // of a Template that tells no column of it
        ASSERT_EQ(read != nullptr, had && had->has & (bit_of(AnnexField::count) - 1));
        if (read) ASSERT_TRUE(test::says_the_same(*read, *had));
      }
      ASSERT_EQ(port_number(flow.forward.key.vlan), 0) << "its tags are no part of the key";
    }
    EXPECT_FALSE(reader.next(flow));
    EXPECT_FALSE(reader.damage());
    ASSERT_EQ(reader.layout().extra.size(), layout.extra.size());
    for (std::size_t i = 0; i < layout.extra.size(); ++i) {
      EXPECT_EQ(reader.layout().extra[i]->name(), layout.extra[i]->name());
    }
  }
}

TEST(IpfixAnnexes, OfSomeColumnsHaveTheseAlone) {
  const std::uint32_t wanted = bit_of(AnnexField::ttl) | bit_of(AnnexField::syn_options);
  const std::vector<AnnexedFlow> flows = annexed_flows(false, 5);
  const test::ScratchFolder folder;
  const RecordLayout layout{.extra = annex_columns(wanted, 0)};
  IpfixReader reader(folder.write("x.ipfix", annexed_file(flows, layout, IpfixProfile::everything)));
  Biflow flow;
  for (const AnnexedFlow& one : flows) {
    ASSERT_TRUE(reader.next(flow));
    const Annex* const read = reader.annotations().annex(false);
    const std::uint32_t had = one.noted.annex(false) ? one.noted.annex(false)->has & wanted : 0;
    ASSERT_EQ(read ? read->has : 0, had);
  }
}

// Without the field that tells which values there are, nothing is one of an annex.
TEST(IpfixAnnexes, OfIanaAloneAreNotReadBack) {
  const RecordLayout layout{.extra = annex_columns(~std::uint32_t{0}, 0)};
  const std::vector<AnnexedFlow> flows = annexed_flows(false, 7);
  const test::ScratchFolder folder;
  IpfixReader reader(folder.write("x.ipfix", annexed_file(flows, layout, IpfixProfile::plain)));
  std::size_t read = 0;
  for (Biflow flow; reader.next(flow); ++read) EXPECT_FALSE(reader.annotations().annex(false));
  EXPECT_EQ(read, flows.size());
  EXPECT_TRUE(reader.layout().extra.empty());
  EXPECT_FALSE(reader.layout().vlan);  // a tag of the annex is no part of the key
}

}  // namespace
}  // namespace warpmeter
