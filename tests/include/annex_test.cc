#include "core/annex.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "support/annexes.h"

namespace warpmeter::test {
namespace {

std::string annex_text(const Annex& annex, AnnexField field) {
  std::string text(facts_of(field).text, '?');
  text.resize(static_cast<std::size_t>(annex.write(text.data(), field) - text.data()));
  return text;
}

TEST(Annex, ComesBackFromWhatItsColumnsSay) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    const Annex annex = random_annex(random);
    Annex again;
    for (std::size_t f = 0; f < kAnnexFields; ++f) {
      const auto field = static_cast<AnnexField>(f);
      if (facts_of(field).text == 0) {
        const std::optional<std::int64_t> number = annex.number(field);
        ASSERT_EQ(number.has_value(), annex.has_value(field));
        if (number) ASSERT_TRUE(again.set_number(field, *number)) << facts_of(field).name;
      } else if (const std::string text = annex_text(annex, field); !text.empty()) {
        ASSERT_TRUE(again.set_text(field, text)) << text;
      }
    }
    ASSERT_TRUE(says_the_same(again, annex));
    ASSERT_EQ(again.has, annex.has);
  }
}

TEST(Annex, HasTextsAsTheyAreUsual) {
  Annex annex;
  EXPECT_TRUE(annex.set_text(AnnexField::src_mac, "02:00:5e:0A:60:01"));
  EXPECT_EQ(annex_text(annex, AnnexField::src_mac), "02:00:5e:0a:60:01");
  EXPECT_TRUE(annex.set_text(AnnexField::outer_src_addr, "2001:DB8::7"));
  EXPECT_EQ(annex_text(annex, AnnexField::outer_src_addr), "2001:db8::7");
  EXPECT_TRUE(annex.set_text(AnnexField::syn_options, "2-4-8-1-3-254-0"));
  EXPECT_EQ(annex.option_count, 7);
  EXPECT_TRUE(annex.set_text(AnnexField::tunnel, "gtp_u"));
  EXPECT_EQ(annex.tunnel, static_cast<std::uint8_t>(TunnelKind::gtp_u));
}

TEST(Annex, TakesNoOtherTexts) {
  const std::pair<AnnexField, const char*> kBad[] = {
      {AnnexField::src_mac, "02:00:5e:0a:60"},
      {AnnexField::src_mac, "02:00:5e:0a:60:0g"},
      {AnnexField::src_mac, "02-00-5e-0a-60-01"},
      {AnnexField::outer_src_addr, "1.2.3"},
      {AnnexField::outer_dst_addr, "1.2.3.4.5"},
      {AnnexField::tunnel, "wormhole"},
      {AnnexField::tunnel, ""},
      {AnnexField::syn_options, "2-"},
      {AnnexField::syn_options, "256"},
      {AnnexField::syn_options, "2,4"},
      {AnnexField::ttl, "64"},
      {AnnexField::syn_options, "-2"},
  };
  for (const auto& [field, text] : kBad) {
    Annex annex;
    EXPECT_FALSE(annex.set_text(field, text)) << text;
    EXPECT_FALSE(annex.has_value(field)) << text;
  }
  std::string many = "1";
  for (std::size_t i = 1; i < Annex::kMostOptions; ++i) many += "-1";
  EXPECT_TRUE(Annex().set_text(AnnexField::syn_options, many));
  EXPECT_FALSE(Annex().set_text(AnnexField::syn_options, many + "-1"));
  Annex both;
  EXPECT_TRUE(both.set_text(AnnexField::outer_src_addr, "10.0.0.1"));
  EXPECT_FALSE(both.set_text(AnnexField::outer_dst_addr, "::1")) << "one packet, one version";
}

TEST(Annex, TakesNumbersThatCanBe) {
  const std::pair<AnnexField, std::int64_t> kLargest[] = {
      {AnnexField::outer_vlan_id, 4095},
      {AnnexField::mpls_label, 0xfffff},
      {AnnexField::tunnel_id, UINT32_MAX},
      {AnnexField::ttl, 255},
      {AnnexField::dscp, 63},
      {AnnexField::ecn, 3},
      {AnnexField::syn_mss, 65535},
      {AnnexField::syn_window_scale, 255},
      {AnnexField::syn_timestamps, 1},
  };
  for (const auto& [field, largest] : kLargest) {
    Annex annex;
    EXPECT_TRUE(annex.set_number(field, largest)) << facts_of(field).name;
    EXPECT_EQ(annex.number(field), largest) << facts_of(field).name;
    EXPECT_FALSE(Annex().set_number(field, largest + 1)) << facts_of(field).name;
    EXPECT_FALSE(Annex().set_number(field, -1)) << facts_of(field).name;
  }
  EXPECT_FALSE(Annex().set_number(AnnexField::src_mac, 1));
}

TEST(Annex, TakesOfALaterPacketTheFirstSynAlone) {
  Annex annex, syn, another;
  annex.set_number(AnnexField::ttl, 64);
  syn.set_number(AnnexField::ttl, 7);
  syn.set_number(AnnexField::syn_window, 100);
  syn.set_number(AnnexField::syn_timestamps, 1);
  another.set_number(AnnexField::syn_window, 200);
  another.set_number(AnnexField::syn_mss, 9);
  annex.add_later(Annex());
  EXPECT_FALSE(annex.has_syn());
  annex.add_later(syn);
  annex.add_later(another);
  EXPECT_EQ(annex.number(AnnexField::ttl), 64);
  EXPECT_EQ(annex.number(AnnexField::syn_window), 100);
  EXPECT_EQ(annex.number(AnnexField::syn_timestamps), 1);
  EXPECT_EQ(annex.number(AnnexField::syn_mss), std::nullopt);
}

}  // namespace
}  // namespace warpmeter::test
