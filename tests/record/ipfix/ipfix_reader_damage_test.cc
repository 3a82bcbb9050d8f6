// Files that are wrong somewhere: what stands before it counts, and what can be told apart behind it as well.
#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "record/ipfix/ipfix_reader.h"
#include "support/fewer.h"
#include "support/ipfix_file.h"
#include "support/ipfix_reading.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using test::Bytes;
using test::ByteWriter;
using test::flow_key_fields;
using test::ipfix_content;
using test::ipfix_message;
using test::ipfix_set;
using test::ipfix_template;
using test::IpfixContent;
using test::IpfixField;
using test::join;
using test::kFlowFields;
using test::kVariable;
using test::options_template_set;
using test::template_set;

constexpr std::size_t kRecord = 13;

Bytes flows(std::size_t count) {
  Bytes records;
  for (; count > 0; --count) records = join(records, flow_key_fields());
  return records;
}

// Template 300, two flows.
Bytes good_message(std::uint32_t domain = 1) {
  return ipfix_message(join(template_set(300, kFlowFields), ipfix_set(300, flows(2))), domain);
}

std::string refusal(const Bytes& file) {
  const test::ScratchFolder folder;
  const std::string path = folder.write("x.ipfix", file);
  const std::string text = test::thrown_text([&] { IpfixReader reader(path); });
  return text.starts_with(path) ? text.substr(path.size()) : text;
}

TEST(IpfixReaderDamage, RefusesWhatIsNoIpfixFile) {
  EXPECT_EQ(refusal({}), ": the file is empty");
  EXPECT_EQ(refusal({0, 10, 0, 16}), ": not an IPFIX file");
  EXPECT_EQ(refusal(Bytes(100, 'x')), ": not an IPFIX file");
  EXPECT_EQ(refusal(ByteWriter().u16(9).u16(1).zeros(40).data()), ": not an IPFIX file");
  EXPECT_EQ(refusal(ByteWriter().u16(10).u16(15).zeros(40).data()), ": not an IPFIX file");
  EXPECT_EQ(test::thrown_text([] { IpfixReader reader("/nowhere/x.ipfix"); }),
            "/nowhere/x.ipfix: No such file or directory");
  const test::ScratchFolder folder;
  EXPECT_EQ(test::thrown_text([&] { IpfixReader reader(folder.path()); }), folder.path() + ": Is a directory");
}

TEST(IpfixReaderDamage, AMessageWithoutSetsIsAFileWithoutFlows) {
  const auto content = ipfix_content(ipfix_message({}));
  EXPECT_TRUE(content.flows.empty());
  EXPECT_FALSE(content.damage);
  EXPECT_EQ(content.layout.absent, 0u);
}

TEST(IpfixReaderDamage, EveryPlaceToCutAFile) {
  const Bytes first = good_message(), file = join(first, good_message(2));
  for (std::size_t size = 16; size <= file.size(); ++size) {
    const auto content = ipfix_content(Bytes(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)));
    const std::size_t whole = size == file.size() ? 2 : size < first.size() ? 0 : 1;
    EXPECT_EQ(content.flows.size(), 2 * whole) << size;
    if (size == first.size() || size == file.size()) {
      EXPECT_EQ(content.damage_text(), "") << size;
    } else {
      const std::size_t start = whole * first.size();
      const char* reason =
          size - start < 16 ? "the header of an IPFIX Message is cut short" : "an IPFIX Message is cut short";
      EXPECT_EQ(content.damage_text(), std::to_string(start) + ": " + reason) << size;
    }
  }
}

TEST(IpfixReaderDamage, AHeaderThatIsNoneEndsReading) {
  const Bytes first = good_message();
  const auto version = ipfix_content(join(first, Bytes(20, 7), good_message()));
  EXPECT_EQ(version.flows.size(), 2u);
  EXPECT_EQ(version.damage_text(), std::to_string(first.size()) + ": version 1799 where an IPFIX Message should begin");
  const auto length = ipfix_content(join(first, ByteWriter().u16(10).u16(3).zeros(12).data(), good_message()));
  EXPECT_EQ(length.flows.size(), 2u);
  EXPECT_EQ(length.damage_text(), std::to_string(first.size()) + ": an IPFIX Message of 3 octets");
}

TEST(IpfixReaderDamage, ASetForAnUnknownTemplateIsSkipped) {
  const auto content = ipfix_content(
      join(ipfix_message(join(template_set(299, kFlowFields), ipfix_set(300, flows(3)), ipfix_set(299, flows(1)))),
           good_message()));
  EXPECT_EQ(content.flows.size(), 3u);
  EXPECT_EQ(content.damage_text(), "0: Data Set for Template 300, which the file does not define, skipped");
}

// No column has such a number: it would be below 0.
TEST(IpfixReaderDamage, AFlowWithACountBeyondThoseOfColumnsIsSkipped) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr int kPackets = 2, kBytes = 1, kResponderBytes = 232;
  std::vector<IpfixField> fields = kFlowFields;
  for (const int number : {kPackets, kBytes, kResponderBytes}) fields.push_back({number, 8});
  const auto flow = [](std::uint64_t packets, std::uint64_t bytes, std::uint64_t back) {
    return join(flow_key_fields(), ByteWriter().u64(packets).u64(bytes).u64(back).data());
  };
  const Bytes records = join(flow(kMost, 1, 1), flow(kMost + 1, 1, 1), flow(1, ~std::uint64_t{0}, 1),
                             flow(1, 1, kMost + 1), flow(1, kMost, kMost));
  const auto content = ipfix_content(ipfix_message(join(template_set(300, fields), ipfix_set(300, records))));
  ASSERT_EQ(content.flows.size(), 2u);
  EXPECT_EQ(content.flows[0].forward.packets, kMost);
  EXPECT_EQ(content.flows[1].forward.bytes, kMost);
  EXPECT_EQ(content.flows[1].reverse.bytes, kMost);
  EXPECT_EQ(content.damage_text(), "0: a flow has a count of 2^63 or more, skipped; and 2 more");
}

TEST(IpfixReaderDamage, TellsHowManyMorePlacesThereAre) {
  const Bytes lost = ipfix_message(ipfix_set(300, flows(1)), 77);
  const auto content = ipfix_content(join(good_message(), lost, lost, lost, Bytes{0, 10}));
  EXPECT_EQ(content.flows.size(), 2u);
  const std::string first = std::to_string(good_message().size());
  const std::string last = std::to_string(good_message().size() + 3 * lost.size());
  EXPECT_EQ(content.damage_text(),
            first + ": Data Set for Template 300, which the file does not define, skipped; and 2 more; from byte " +
                last + " on not read: the header of an IPFIX Message is cut short");
}

// Template numbers are those of one Observation Domain (RFC 7011, section 3.4.1).
TEST(IpfixReaderDamage, DomainsHaveTheirOwnTemplates) {
  const std::vector<IpfixField> other = {{12, 4}, {8, 4}};
  const auto content = ipfix_content(join(
      ipfix_message(template_set(300, kFlowFields), 1), ipfix_message(template_set(300, other), 2),
      ipfix_message(ipfix_set(300, flows(1)), 1), ipfix_message(ipfix_set(300, ByteWriter().u32(1).u32(2).data()), 2)));
  ASSERT_EQ(content.flows.size(), 2u);
  EXPECT_EQ(content.flows[0].forward.key.source[0], 10);
  EXPECT_EQ(content.flows[1].forward.key.source[3], 2);
  EXPECT_FALSE(content.damage);
}

// What 32,000 withdrawals of all Templates cost must not be their number times that of the Templates, 120,000.
TEST(IpfixReaderDamage, WithdrawingAllTemplatesTakesNoLongerTheMoreThereAre) {
  Bytes file;
  for (std::uint32_t domain = 1; domain <= 2; ++domain) {
    for (int first = 256; first < 60'256; first += 6'000) {
      Bytes templates;
      for (int id = first; id < first + 6'000; ++id)
        templates = join(std::move(templates), ipfix_template(id, {{8, 4}}));
      file = join(std::move(file), ipfix_message(ipfix_set(2, templates), domain));
    }
  }
  Bytes withdrawals;
  for (int i = 0; i < 8'000; ++i) withdrawals = join(std::move(withdrawals), ByteWriter().u16(2).u16(0).data());
  for (int i = 0; i < 4; ++i) file = join(std::move(file), ipfix_message(ipfix_set(2, withdrawals), 3));
  const auto start = std::chrono::steady_clock::now();
  const auto content = ipfix_content(join(std::move(file), good_message(3)));
  EXPECT_EQ(content.flows.size(), 2u);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(IpfixReaderDamage, TemplatesAreRedefinedAndWithdrawn) {
  const std::vector<IpfixField> other = {{12, 4}, {8, 4}};
  const Bytes pair = ByteWriter().u32(1).u32(2).data();
  const auto redefined = ipfix_content(
      join(good_message(), ipfix_message(join(template_set(300, other), ipfix_set(300, pair))), good_message()));
  EXPECT_EQ(redefined.flows.size(), 5u);
  EXPECT_FALSE(redefined.damage);

  const Bytes lost = ipfix_message(ipfix_set(300, flows(1)));
  const auto withdrawal = [](int set, int id) {
    return ipfix_message(ipfix_set(set, ByteWriter().u16(static_cast<std::uint64_t>(id)).u16(0).data()));
  };
  for (const Bytes& withdrawn : {withdrawal(2, 300), withdrawal(2, 2)}) {
    const auto content = ipfix_content(join(good_message(), withdrawn, lost));
    EXPECT_EQ(content.flows.size(), 2u);
    EXPECT_TRUE(content.damage);
  }
  // Options Templates alone, or those of another Domain.
  const auto kept = ipfix_content(join(good_message(), withdrawal(3, 3), lost));
  EXPECT_EQ(kept.flows.size(), 3u);
  EXPECT_FALSE(kept.damage);
}

TEST(IpfixReaderDamage, ATemplateThatIsOfNoUseIsSaidOnce) {
  struct Case {
    Bytes set;
    const char* reason;
  };
  const Case cases[] = {
      {template_set(7, kFlowFields), "Template 7: not a number for Templates, skipped"},
      {template_set(400, {{8, 0}, {12, 0}}), "Template 400: its records have no octet, skipped"},
      {options_template_set(400, 0, {{143, 4}}), "Options Template 400: a wrong number of scope fields, skipped"},
      {options_template_set(400, 2, {{143, 4}}), "Options Template 400: a wrong number of scope fields, skipped"},
      {ipfix_set(2, ByteWriter().u16(400).u16(9).u16(8).u16(4).data()), "Template 400 is cut short"},
      {ipfix_set(2, ByteWriter().u16(400).u16(1).u16(0x8008).u16(4).data()), "Template 400 is cut short"},
  };
  for (const Case& c : cases) {
    const auto content =
        ipfix_content(ipfix_message(join(template_set(300, kFlowFields), c.set, ipfix_set(300, flows(2)))));
    EXPECT_EQ(content.flows.size(), 2u) << c.reason;
    EXPECT_EQ(content.damage_text(), std::string("0: ") + c.reason);
  }
  const auto used =
      ipfix_content(join(ipfix_message(join(template_set(400, {{8, 0}}), ipfix_set(400, flows(2)))), good_message()));
  EXPECT_EQ(used.flows.size(), 2u);
  EXPECT_EQ(used.damage_text(), "0: Template 400: its records have no octet, skipped");
}

TEST(IpfixReaderDamage, SetsThatCannotBe) {
  const Bytes good = join(template_set(300, kFlowFields), ipfix_set(300, flows(2)));
  const auto number = ipfix_content(ipfix_message(join(ipfix_set(5, flows(1)), good)));
  EXPECT_EQ(number.flows.size(), 2u);
  EXPECT_EQ(number.damage_text(), "0: Set 5: not a number for Sets, skipped");
  for (const int length : {0, 3, 200}) {
    const Bytes wrong = ByteWriter().u16(300).u16(static_cast<std::uint64_t>(length)).zeros(40).data();
    const auto content = ipfix_content(join(ipfix_message(join(good, wrong)), good_message()));
    EXPECT_EQ(content.flows.size(), 4u);
    EXPECT_EQ(content.damage_text(), "0: a Set of " + std::to_string(length) +
                                         " octets where its message has 44 left, the rest of the message skipped");
  }
  const auto half_header = ipfix_content(join(ipfix_message(join(good, Bytes{1, 44})), good_message()));
  EXPECT_EQ(half_header.flows.size(), 4u);
  EXPECT_EQ(half_header.damage_text(), "0: a Set Header is cut short by the end of its message");
}

TEST(IpfixReaderDamage, PaddingIsNoDamageButHalfARecordIs) {
  const auto of = [](const Bytes& records) {
    return ipfix_content(ipfix_message(join(template_set(300, kFlowFields), ipfix_set(300, records))));
  };
  EXPECT_EQ(of(join(flows(2), Bytes(3, 0))).damage_text(), "");
  const Bytes three = flows(3);
  const auto half = of(Bytes(three.begin(), three.begin() + 2 * kRecord + 7));
  EXPECT_EQ(half.flows.size(), 2u);
  EXPECT_EQ(half.damage_text(), "0: a Data Record of Template 300 is cut short by its Set");
}

TEST(IpfixReaderDamage, AVariableLengthThatLeavesTheSet) {
  const std::vector<IpfixField> fields = {{8, 4}, {82, kVariable}, {12, 4}};
  const Bytes good = ByteWriter().u32(1).u8(2).u16(0x6162).u32(2).data();
  for (const Bytes& wrong :
       {ByteWriter().u32(1).u8(200).u32(2).data(), ByteWriter().u32(1).u8(255).u16(9000).u32(1).data(),
        ByteWriter().u32(1).u8(5).zeros(5).data()}) {
    const auto content =
        ipfix_content(ipfix_message(join(template_set(300, fields), ipfix_set(300, join(good, good, wrong)))));
    EXPECT_EQ(content.flows.size(), 2u);
    EXPECT_EQ(content.damage_text(), "0: a Data Record of Template 300 is cut short by its Set");
  }
}

// libfixbuf would take quadratic time for the first, and keep all of the others.
TEST(IpfixReaderDamage, TemplatesOfAllSizesAndVeryMany) {
  std::vector<IpfixField> wide = kFlowFields;
  for (int i = 0; i < 15'000; ++i) wide.push_back({210, i % 2 ? 0 : kVariable});
  const Bytes record = join(flow_key_fields(), Bytes(7'500, 0));
  const auto content =
      ipfix_content(join(ipfix_message(template_set(300, wide)), ipfix_message(ipfix_set(300, record))));
  EXPECT_EQ(content.flows.size(), 1u);
  EXPECT_FALSE(content.damage);

  Bytes file;
  for (int i = 0; i < 6'000; ++i) {  // all different
    const std::vector<IpfixField> fields = join(kFlowFields, {{600 + i, 1}});
    file = join(std::move(file),
                ipfix_message(join(template_set(300, fields), ipfix_set(300, join(flow_key_fields(), Bytes{0}))),
                              static_cast<std::uint32_t>(i)));
    if (i == 4'095) {
      EXPECT_EQ(ipfix_content(file).damage_text(), "");
    }
  }
  const auto many = ipfix_content(file);
  EXPECT_EQ(many.flows.size(), 4'096u);
  EXPECT_NE(many.damage_text().find("more different Templates than can be kept, one skipped; and 1903 more"),
            std::string::npos)
      << many.damage_text();
}

// A file with everything in it.
Bytes rich_file() {
  const std::vector<IpfixField> biflow = join(
      kFlowFields, {{2, 8}, {1, 4}, {152, 8}, {156, 8}, {6, 2}, {136, 1}, {2, 8, 29305}, {1, 8, 32473}, {300, 4, 77}});
  const std::vector<IpfixField> variable = {{27, 16}, {82, kVariable}, {28, 16}, {291, kVariable}, {22, 4}, {4, 1}};
  const Bytes ipv6 = ByteWriter().u64(1).u64(2).u8(3).zeros(3).u64(3).u64(4).u8(5).zeros(5).u32(9).u8(58).data();
  const Bytes options = ByteWriter().u32(9).u64(1'000'000).data();
  std::size_t length = 0;
  for (const IpfixField& field : biflow) length += static_cast<std::size_t>(field.length);
  Bytes records = test::counting_bytes(3 * length);
  for (std::uint8_t& byte : records) byte &= 0x7f;  // no count that is beyond those of columns
  const Bytes first =
      ipfix_message(join(template_set(300, kFlowFields), options_template_set(257, 1, {{143, 4}, {160, 8}}),
                         ipfix_set(257, options), ipfix_set(300, flows(3))));
  const Bytes second = ipfix_message(join(template_set(301, variable), template_set(302, biflow),
                                          ipfix_set(301, join(ipv6, ipv6)), ipfix_set(302, records)));
  const Bytes withdrawn = ipfix_message(ipfix_set(2, ByteWriter().u16(300).u16(0).data()));
  return join(first, second, withdrawn, good_message(2), good_message());
}

Bytes mutated(Bytes file, std::mt19937& random) {
  const auto any = [&](std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random); };
  for (std::size_t changes = 1 + any(6); changes > 0 && !file.empty(); --changes) {
    const std::size_t at = any(file.size());
    switch (any(5)) {
      case 0: file[at] = static_cast<std::uint8_t>(random()); break;
      case 1: file[at] ^= static_cast<std::uint8_t>(1u << any(8)); break;
      case 2: {  // lengths and numbers that are on the edge
        constexpr std::uint8_t kEdges[] = {0, 1, 2, 3, 4, 16, 127, 128, 254, 255};
        file[at] = kEdges[any(std::size(kEdges))];
        break;
      }
      case 3: file.resize(at); break;
      default: {
        const auto from = static_cast<std::ptrdiff_t>(any(file.size()));
        const Bytes part(
            file.begin() + from,
            file.begin() + from + static_cast<std::ptrdiff_t>(any(file.size() - static_cast<std::size_t>(from))));
        file.insert(file.begin() + static_cast<std::ptrdiff_t>(at), part.begin(), part.end());
      }
    }
  }
  return file;
}

// Other files with --gtest_random_seed=N.
TEST(IpfixReaderDamage, NothingInAFileCrashesOrHangs) {
  const test::ScratchFolder folder;
  const Bytes file = rich_file();
  ASSERT_EQ(test::ipfix_content_of(folder.write("whole.ipfix", file)).flows.size(), 12u);
  std::mt19937 random(static_cast<unsigned>(testing::FLAGS_gtest_random_seed));
  std::size_t refused = 0, damaged = 0, whole = 0;
  for (int i = 0; i < static_cast<int>(test::fewer(2'000)); ++i) {
    const Bytes bad = mutated(file, random);
    const std::string path = folder.write("x.ipfix", bad);
    try {
      const IpfixContent content = test::ipfix_content_of(path);
      ++(content.damage ? damaged : whole);
      ASSERT_LE(content.flows.size(), bad.size()) << i;
      if (content.damage) {
        ASSERT_LE(content.damage->offset, bad.size()) << i;
      }
    } catch (const Error& error) {  // of the first header alone
      const std::string text = error.what();
      ASSERT_TRUE(text == path + ": not an IPFIX file" || text == path + ": the file is empty") << i << ": " << text;
      ++refused;
    }
  }
  EXPECT_GT(refused, test::fewer(10));
  EXPECT_GT(damaged, test::fewer(500));
  EXPECT_GT(whole, test::fewer(100));
}

}  // namespace
}  // namespace warpmeter
