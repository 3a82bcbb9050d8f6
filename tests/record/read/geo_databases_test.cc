// What databases of MaxMind's format tell of addresses. e2e.show_geo has larger ones, and damaged ones.
#include "record/read/geo_databases.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "support/scratch_folder.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using test::ScratchFolder;

// Data of the format: texts shorter than 29 bytes, numbers of 32 and 16 bits, and maps of these.
std::string text(std::string_view value) { return static_cast<char>(2 << 5 | value.size()) + std::string(value); }
std::string number(int kind, unsigned value) {
  std::string bytes;
  for (; value; value >>= 8) bytes.insert(bytes.begin(), static_cast<char>(value));
  return static_cast<char>(kind << 5 | static_cast<int>(bytes.size())) + bytes;
}
constexpr int kShort = 5, kWord = 6;
std::string map(int entries, const std::string& content) { return static_cast<char>(7 << 5 | entries) + content; }

// Of IPv4 addresses; those that begin with `first` have `data`.
std::string database(unsigned char first, const std::string& data) {
  constexpr unsigned kNodes = 8;
  std::string tree;
  for (unsigned node = 0; node < kNodes; ++node) {
    for (int bit = 0; bit < 2; ++bit) {
      const bool on_the_way = (first >> (7 - node) & 1) == bit;
      const unsigned next = !on_the_way ? kNodes : node + 1 < kNodes ? node + 1 : kNodes + 16;
      for (const int shift : {16, 8, 0}) tree += static_cast<char>(next >> shift);
    }
  }
  const std::string no_list("\0\4", 2), long_number("\1\2\1", 3);
  const std::string about = text("node_count") + number(kWord, kNodes) + text("record_size") + number(kShort, 24) +
                            text("ip_version") + number(kShort, 4) + text("database_type") + text("Test") +
                            text("binary_format_major_version") + number(kShort, 2) +
                            text("binary_format_minor_version") + number(kShort, 0) + text("languages") + no_list +
                            text("build_epoch") + long_number + text("description") + map(0, "");
  return tree + std::string(16, '\0') + data + "\xab\xcd\xefMaxMind.com" + map(9, about);
}

std::string country(std::string_view code) { return text("country") + map(1, text("iso_code") + text(code)); }

FlowKey key_between(std::uint8_t source, std::uint8_t destination, std::uint8_t version = 4) {
  FlowKey key{};
  key.version = version;
  key.source[0] = source;
  key.destination[0] = destination;
  return key;
}

class Geo : public testing::Test {
 protected:
  void SetUp() override {
    if (!GeoDatabases::available()) GTEST_SKIP() << "a build with libmaxminddb runs this";
    test::write_file(first_,
                     database(10, map(2, country("DE") + text("autonomous_system_number") + number(kWord, 64496))));
    test::write_file(second_, database(10, map(2, country("XX") + text("as_name") + text("Example, \"Inc\\\xc3\xa9"))));
  }
  const ScratchFolder folder_;
  const std::string first_ = folder_.file("first.mmdb"), second_ = folder_.file("second.mmdb");
};

TEST_F(Geo, TellsWhatTheFirstDatabaseKnows) {
  GeoDatabases geo({first_, second_});
  for (int round = 0; round < 2; ++round) {  // the second time it is kept
    const FlowKey key = key_between(10, 11);
    EXPECT_EQ(geo.of(4, key.source), (GeoFacts{"DE", "", "64496", "Example Inc\\xc3\\xa9"}));
    EXPECT_EQ(geo.of(4, key.destination), GeoFacts{});
    EXPECT_EQ(geo.of(6, key.source), GeoFacts{});  // of which it has none
  }
}

TEST_F(Geo, TakesNumbersOfEachWidth) {
  const std::string of_64_bits("\2\2\xfb\xf0", 4), with_a_sign("\2\1\xfb\xf0", 4);
  for (const std::string& value : {number(kShort, 64496), number(kWord, 64496), of_64_bits, with_a_sign}) {
    const std::string file = folder_.file("number.mmdb");
    test::write_file(file, database(10, map(1, text("autonomous_system_number") + value)));
    EXPECT_EQ(GeoDatabases({file}).of(4, key_between(10, 11).source)[2], "64496");
  }
}

TEST_F(Geo, NotesBothEndsInTheirColumns) {
  GeoDatabases geo({first_});
  ASSERT_EQ(geo.columns().size(), 8u);
  EXPECT_EQ(geo.columns()[0]->name(), "source_country");
  EXPECT_EQ(geo.columns()[6]->name(), "destination_asn");
  Annotations noted;
  geo.note(key_between(9, 10), noted);
  EXPECT_EQ(noted.first_of(*geo.columns()[0]->annotation()), "");
  EXPECT_EQ(noted.first_of(*geo.columns()[4]->annotation()), "DE");
  EXPECT_EQ(noted.first_of(*geo.columns()[6]->annotation()), "64496");
  // Of the other direction, the ends are exchanged.
  OtherDirection other;
  EXPECT_EQ(other.of(noted).first_of(*geo.columns()[0]->annotation()), "DE");
  EXPECT_EQ(other.of(noted).first_of(*geo.columns()[4]->annotation()), "");
}

TEST_F(Geo, RefusesWhatIsNoDatabase) {
  const std::string none = folder_.file("none"), cut = folder_.file("cut");
  const std::string whole = test::file_text(first_);
  test::write_file(cut, whole.substr(0, whole.size() - 60));
  const auto text_of = [](const std::string& file) { return test::thrown_text([&] { GeoDatabases({file}); }); };
  EXPECT_EQ(text_of(none), none + ": cannot be read: No such file or directory");
  EXPECT_TRUE(text_of(cut).starts_with(cut + ": no database of MaxMind's format, or cut short: ")) << text_of(cut);
  EXPECT_TRUE(text_of(folder_.path()).ends_with(": no file, and so no database of MaxMind's format"));
}

}  // namespace
}  // namespace warpmeter
