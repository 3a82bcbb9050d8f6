// Where the inputs end and the filter begins.
#include "app/cli/input_words.h"

#include <gtest/gtest.h>

#include "support/scratch_folder.h"
#include "support/thrown_text.h"

namespace warpmeter::test {
namespace {

using Words = std::vector<std::string>;

void expect_split(const Words& words, std::size_t inputs, const std::string& filter) {
  const InputsAndFilter split = split_inputs(words);
  EXPECT_EQ(split.inputs, Words(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(inputs)));
  EXPECT_EQ(split.filter, filter);
}

TEST(SplitInputs, NothingIsNothing) { expect_split({}, 0, ""); }

TEST(SplitInputs, FirstWordIsAnInputInAnyCase) {
  expect_split({"monday"}, 1, "");
  expect_split({"monday", "udp"}, 1, "udp");
}

TEST(SplitInputs, FilterBeforeTheInputsIsRefused) {
  for (const Words& words : {Words{"tcp"}, Words{"tcp port 80", "a.pcap"}, Words{"tcp", "port", "80", "a.pcap"},
                             Words{"not", "udp", "-"}, Words{"!(host 10.0.0.1 or udp)"}, Words{"ip[6]", "=", "2"}}) {
    EXPECT_EQ(thrown_text([&] { split_inputs(words); }),
              "'" + words[0] + "': inputs come first, a capture filter behind them (nor is there a file of that name)");
  }
  for (const char* const name : {"tcpdump", "./tcp", "udp.pcap", "host1", "hosts of monday"}) {
    expect_split({name}, 1, "");
  }
}

TEST(SplitInputs, FilterBeginsAtTheFirstWordThatIsNoInput) {
  expect_split({"a.pcap", "b.pcapng", "tcp", "port", "80"}, 2, "tcp port 80");
}

TEST(SplitInputs, FilterMayBeOneQuotedWord) { expect_split({"a.pcap", "tcp port 80"}, 1, "tcp port 80"); }

TEST(SplitInputs, StandardInputIsAnInput) { expect_split({"-", "-", "udp"}, 2, "udp"); }

TEST(SplitInputs, WhatExistsIsAnInput) {
  const ScratchFolder folder;
  folder.write("captured", {1});
  expect_split({"a.pcap", folder.file("captured"), folder.path(), "udp"}, 3, "udp");
}

TEST(SplitInputs, MissingFilesAreInputs) {
  expect_split({"a.pcap", "/none", "./none", "../none", "x.pcap.gz", "y.zst", "z.lz4", "w.cap", "udp"}, 8, "udp");
}

TEST(SplitInputs, RotatedFilesThatAreMissingAreInputs) {
  expect_split({"a.pcap", "a.pcap12", "a.pcap.3", "folder/10", "old/x", "host", "b12"}, 5, "host b12");
}

TEST(SplitInputs, LinksToNowhereAreInputs) {
  const ScratchFolder folder;
  std::filesystem::create_symlink("nowhere", folder.file("tcp"));
  std::filesystem::create_symlink("circle", folder.file("circle"));
  expect_split({"a.pcap", folder.file("tcp"), folder.file("circle"), "udp"}, 3, "udp");
}

TEST(SplitInputs, NetworksAreFilterWords) {
  expect_split({"a.pcap", "net", "10.0.0.0/8"}, 1, "net 10.0.0.0/8");
  expect_split({"a.pcap", "10.0.0.0/8"}, 1, "10.0.0.0/8");
  expect_split({"a.pcap", "2001:db8::/32"}, 1, "2001:db8::/32");
  expect_split({"a.pcap", "ip[2:2]/4", "=", "7"}, 1, "ip[2:2]/4 = 7");
}

TEST(SplitInputs, NothingBehindTheFilterIsAnInput) {
  expect_split({"a.pcap", "udp", "b.pcap", "-"}, 1, "udp b.pcap -");
}

TEST(SplitInputs, CaptureBehindTheFilterIsRefused) {
  const ScratchFolder folder;
  folder.write("b.pcap", {1});
  const std::string capture = folder.file("b.pcap");
  EXPECT_EQ(thrown_text([&] {
              split_inputs({"a.pcap", "tcp", "port", "80", capture});
            }),
            "'" + capture + "': inputs come first, a capture filter behind them");
}

TEST(SplitInputs, QuotedFilterThatEndsLikeAFileIsAFilter) {
  expect_split({"a.pcap", "host server.cap"}, 1, "host server.cap");
}

}  // namespace
}  // namespace warpmeter::test
