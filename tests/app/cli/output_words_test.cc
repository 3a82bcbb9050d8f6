// Where records go and in which form, as users write it.
#include "app/cli/output_words.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/commands.h"
#include "record/write/output_format.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

Format format_of(std::optional<Format> chosen, const std::string& output) {
  OutputWords words;
  words.format = chosen;
  if (!output.empty()) words.outputs = {output};
  return output_options_of(words).format;
}

TEST(OutputWords, TheFormatFollowsTheName) {
  EXPECT_EQ(format_of({}, "a.csv"), Format::csv);
  EXPECT_EQ(format_of({}, "a.csv.json"), Format::json);
  EXPECT_EQ(format_of({}, "a.jsonl"), Format::json);
  EXPECT_EQ(format_of({}, "a.ndjson"), Format::json);
  EXPECT_EQ(format_of({}, "-"), Format::csv);
  EXPECT_EQ(format_of({}, "/dev/null"), Format::csv);
  if (can_write(Format::ipfix)) {
    EXPECT_EQ(format_of({}, "x/a.ipfix"), Format::ipfix);
  }
}

TEST(OutputWords, TheFormatIsWhatWasAskedFor) {
  EXPECT_EQ(format_of(Format::json, "a.csv"), Format::json);
  EXPECT_EQ(format_of(Format::table, ""), Format::table);
}

TEST(OutputWords, NamesThatSayNothingAreRefused) {
  for (const char* name : {"a", "a.txt", "csv", "a.table", "a.gz", "a.txt.gz", "a.csv.bz2"}) {
    const auto refusal = test::thrown_text([&] { format_of({}, name); });
    EXPECT_NE(refusal.find(std::string("-o ") + name + ": which format?"), std::string::npos) << name;
  }
}

TEST(OutputWords, TheCompressionFollowsTheName) {
  for (const auto& [name, packing] : {std::pair("a.csv.gz", Packing::gzip), std::pair("a.ndjson.zst", Packing::zstd),
                                      std::pair("a.json.lz4", Packing::lz4), std::pair("a.csv", Packing::none)}) {
    if (!why_not_packed(packing).empty()) continue;
    OutputWords words;
    words.outputs = {name};
    EXPECT_EQ(output_options_of(words).packing, packing) << name;
  }
  EXPECT_EQ(format_of({}, "a.json.gz"), Format::json);
  for (const char* name : {"a.parquet.gz", "a.ipfix.zst"}) {
    EXPECT_NE(test::thrown_text([&] { format_of({}, name); }).find("CSV and JSON alone"), std::string::npos) << name;
  }
}

TEST(OutputWords, SeveralFilesShareAllButNameAndFormat) {
  OutputWords words;
  words.outputs = {"-", "b.json", "c.csv"};
  words.rotate = "1M";
  words.times = TimeForm::us;
  words.extra_columns.front().is_wanted = true;
  const OutputOptions options = output_options_of(words);
  EXPECT_EQ(options.rotate_bytes, 0u);  // standard output is one
  ASSERT_EQ(options.also.size(), 2u);
  for (const OutputOptions& other : options.also) {
    EXPECT_EQ(other.rotate_bytes, 1u << 20);
    EXPECT_EQ(other.times, TimeForm::us);
    ASSERT_EQ(other.extra_columns.size(), 1u);
    EXPECT_EQ(other.extra_columns.front()->name(), column_options().front().column);
  }
  EXPECT_EQ(options.also[0].format, Format::json);
  EXPECT_EQ(options.also[1].file, "c.csv");
}

std::vector<std::string> columns_of(const std::string& names, const std::string& output,
                                    std::optional<IpfixProfile> profile = {}) {
  OutputWords words;
  words.outputs = {output};
  words.columns = names;
  words.ipfix_profile = profile;
  std::vector<std::string> columns;
  for (const auto& column : output_options_of(words).extra_columns) columns.emplace_back(column->name());
  return columns;
}

TEST(OutputWords, ColumnsAreNamed) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(columns_of("", "a.csv"), Names());
  EXPECT_EQ(columns_of("handshake_ns,community_id,first_packet", "a.csv"),
            (Names{"community_id", "first_packet", "handshake_ns"}));
  const auto refusal = [](const std::string& names, const std::string& output, std::optional<IpfixProfile> profile) {
    return test::thrown_text([&] { columns_of(names, output, profile); });
  };
  EXPECT_EQ(refusal("first_packet,packts", "a.csv", {}),
            "--columns: 'packts' is none that can be added: community_id, first_packet, reverse_first_packet, "
            "handshake_ns; nor is it a column to choose (see show --help)");
  if (!can_write(Format::ipfix)) return;
  EXPECT_EQ(columns_of("first_packet", "a.ipfix"), (Names{"first_packet"}));
  EXPECT_EQ(refusal("community_id", "a.ipfix", {}), "--columns community_id goes with CSV, JSON and Parquet");
  EXPECT_EQ(refusal("first_packet", "a.ipfix", IpfixProfile::plain),
            "--columns first_packet goes with CSV, JSON, Parquet and IPFIX (--ipfix-profile default)");
}

TEST(OutputWords, ColumnsAreChosen) {
  using Names = std::vector<std::string>;
  const auto choice = [](const std::string& names, bool with_id = false) {
    OutputWords words;
    words.outputs = {"a.csv", "b.json"};
    words.columns = names;
    words.extra_columns.front().is_wanted = with_id;
    const OutputOptions options = output_options_of(words);
    EXPECT_EQ(options.also.front().choice.columns, options.choice.columns);
    return options.choice.columns;
  };
  EXPECT_EQ(choice(""), Names());
  EXPECT_EQ(choice("first_packet,community_id"), Names());
  EXPECT_EQ(choice("first_packet,bytes"), (Names{"first_packet", "bytes"}));
  EXPECT_EQ(choice("=first_packet"), (Names{"first_packet"}));
  EXPECT_EQ(choice("bytes,community_id", true), (Names{"bytes", "community_id"}));
  EXPECT_EQ(choice("bytes,tls_sni"), (Names{"bytes", "tls_sni"}));  // which a policy may have
  EXPECT_EQ(test::thrown_text([&] { choice("bytes", true); }),
            "--community-id: --columns chooses others; name community_id there");
  for (const char* const empty : {"=", "bytes,", ",bytes", "bytes,,packets", ","})
    EXPECT_EQ(test::thrown_text([&] { choice(empty); }), "--columns: a name is empty") << empty;
}

TEST(OutputWords, LogsOfZeekHaveItsNames) {
  OutputWords words;
  words.outputs = {"conn.log", "all.csv"};
  words.columns = "first_packet";
  const OutputOptions options = output_options_of(words);
  EXPECT_EQ(options.format, Format::zeek);
  EXPECT_EQ(options.choice.naming, Naming::zeek);
  EXPECT_TRUE(options.choice.columns.empty());
  EXPECT_TRUE(options.also.front().choice.is_of_all());
  words.naming = Naming::ecs;
  EXPECT_EQ(test::thrown_text([&] { output_options_of(words); }), "--format zeek has Zeek's names, and no others");
  words.naming = Naming::zeek;
  words.times = TimeForm::iso;
  EXPECT_EQ(test::thrown_text([&] { output_options_of(words); }),
            "--names zeek: its times are seconds; --times ns or us says how many decimals");
}

TEST(OutputWords, ChosenColumnsMustBeThereInTheLayout) {
  const auto refusal = [](const char* names, const RecordLayout& layout) {
    OutputWords words;
    words.outputs = {"a.csv"};
    words.columns = names;
    return test::thrown_text([&] { refuse_choice(output_options_of(words), layout); });
  };
  EXPECT_EQ(refusal("bytes,reverse_bytes,vlan_id,first_packet", {.vlan = true, .biflow = true}), "");
  EXPECT_EQ(refusal("bytes,reverse_bytes", {}), "--columns reverse_bytes goes with --biflow");
  EXPECT_EQ(refusal("vlan_id", {}), "--columns vlan_id goes with --key-vlan");
  EXPECT_EQ(refusal("bytes,dscp", {}), "--columns dscp goes with --annex dscp");
  EXPECT_EQ(refusal("bytes,tls_sni", {}), "--columns: 'tls_sni' is no column (see show --help)");
  EXPECT_EQ(refusal("bytes,first_packet", {.numbered = false}),
            "--columns first_packet: a live capture is no trace whose packets are numbered");
}

TEST(OutputWords, ColumnsMustBeThoseOfTheCommand) {
  const auto refusal = [](const char* name, bool biflow, bool numbered) {
    OutputWords words;
    words.outputs = {"a.csv"};
    words.columns = name;
    return test::thrown_text([&] { refuse_columns(output_options_of(words), biflow, numbered); });
  };
  EXPECT_EQ(refusal("first_packet", false, true), "");
  EXPECT_EQ(refusal("community_id", false, false), "");
  EXPECT_EQ(refusal("handshake_ns", true, false), "");
  EXPECT_EQ(refusal("handshake_ns", false, true), "--columns handshake_ns goes with --biflow");
  EXPECT_EQ(refusal("reverse_first_packet", false, true), "--columns reverse_first_packet goes with --biflow");
  EXPECT_EQ(refusal("first_packet", true, false),
            "--columns first_packet: a live capture is no trace whose packets are numbered");
}

TEST(OutputWords, RotationIsBySizeOrByTime) {
  OutputWords words;
  words.outputs = {"a.csv"};
  words.rotate = "10M";
  EXPECT_EQ(output_options_of(words).rotate_bytes, 10u << 20);
  words.rotate = "5m";
  EXPECT_EQ(output_options_of(words).rotate_ns, 300'000'000'000);
  for (const char* size : {"1g", "1G", "1GiB"}) {
    words.rotate = size;
    EXPECT_EQ(output_options_of(words).rotate_bytes, 1u << 30) << size;
  }
  words.rotate = "1GB";
  EXPECT_EQ(output_options_of(words).rotate_bytes, 1'000'000'000u);
  words.rotate = "1d";
  EXPECT_EQ(output_options_of(words).rotate_ns, 86'400'000'000'000);
  words.rotate = "1000B";
  EXPECT_EQ(output_options_of(words).rotate_bytes, 1000u);
  for (const char* bad : {"0", "0s", "soon", "5x", "-5m", "1e9"}) {
    words.rotate = bad;
    EXPECT_EQ(test::thrown_text([&] { output_options_of(words); }).find("--rotate"), 0u) << bad;
  }
  for (const std::string bare : {"300", "1000000000", "1.5"}) {
    words.rotate = bare;
    EXPECT_EQ(test::thrown_text([&] { output_options_of(words); }),
              "--rotate " + bare + ": a size such as " + bare + "M, or a time such as " + bare + "s?");
  }
}

TEST(OutputWords, ACollectorAloneWritesNoFile) {
  if (!can_write(Format::ipfix)) GTEST_SKIP() << "a build with libfixbuf (libfixbuf-dev) runs this";
  OutputWords words;
  words.collector = "tcp://[::1]:9";
  words.sending.timeout = std::chrono::milliseconds(1500);
  const OutputOptions options = output_options_of(words);
  EXPECT_EQ(options.file, "");
  ASSERT_TRUE(options.collector);
  EXPECT_EQ(options.collector->address.host, "::1");
  EXPECT_EQ(options.collector->timeout, std::chrono::milliseconds(1500));
  words.outputs = {"a.csv"};
  EXPECT_EQ(output_options_of(words).file, "a.csv");
}

TEST(OutputWords, WhatGoesWithCollectorsNeedsOne) {
  for (const std::string option : {"--netflow-v9", "--mtu=1400", "--collector-rate=5", "--collector-timeout=1s",
                                   "--collector-buffer=1M", "--template-refresh=9s"}) {
    CLI::App app("", "warpmeter");
    OutputWords words;
    add_export_options(*app.add_subcommand("extract"), words);
    std::string line[] = {"warpmeter", "extract", option};
    char* argv[] = {line[0].data(), line[1].data(), line[2].data()};
    EXPECT_EQ(test::thrown_text([&] { parse_command_line(app, 3, argv); }),
              option.substr(0, option.find('=')) + " goes with --collector (see warpmeter extract --help)");
  }
}

}  // namespace
}  // namespace warpmeter
