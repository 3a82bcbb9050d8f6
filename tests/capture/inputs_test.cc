// Inputs as given, and the capture files they stand for.
#include "capture/inputs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/packed.h"
#include "support/pcap_file.h"
#include "support/pcapng_file.h"
#include "support/scratch_folder.h"
#include "warpmeter/status.h"

namespace warpmeter::test {
namespace {

using Names = std::vector<std::string>;

TEST(Inputs, FilesKeepTheirOrder) { EXPECT_EQ(expand_inputs({"b", "-", "a"}), (Names{"b", "-", "a"})); }

TEST(Inputs, FolderMeansItsCapturesInNameOrder) {
  const ScratchFolder folder;
  const std::string c = folder.write("c", PcapFile().data());
  const std::string a = folder.write("a.txt", PcapngFile().data());
  const std::string b10 = folder.write("b10.pcap", PcapFile().data());
  const std::string b9 = folder.write("b9.pcap", PcapFile().data());
  EXPECT_EQ(expand_inputs({folder.path()}), (Names{a, b10, b9, c}));
}

TEST(Inputs, OtherFilesAndFoldersInAFolderAreLeftOut) {
  const ScratchFolder folder;
  const std::string capture = folder.write("z.pcap", PcapFile().data());
  folder.write("notes.pcap", Bytes(100, 'x'));
  folder.write("empty.pcap", {});
  std::filesystem::create_directory(folder.file("inner"));
  folder.write("inner/deep.pcap", PcapFile().data());
  EXPECT_EQ(expand_inputs({folder.path()}), Names{capture});
}

TEST(Inputs, LinksInAFolderCountWhereTheyLeadToACapture) {
  const ScratchFolder folder, elsewhere;
  const std::string capture = elsewhere.write("z.pcap", PcapFile().data());
  std::filesystem::create_symlink(capture, folder.file("b"));
  std::filesystem::create_symlink(elsewhere.file("none"), folder.file("a"));
  std::filesystem::create_symlink(elsewhere.file("none"), folder.file("c"));
  EXPECT_EQ(expand_inputs({folder.path()}), Names{folder.file("b")});
}

TEST(Inputs, FolderStandsAtItsPlaceAmongFiles) {
  const ScratchFolder folder;
  const std::string capture = folder.write("z.pcap", PcapFile().data());
  EXPECT_EQ(expand_inputs({"first", folder.path(), "last"}), (Names{"first", capture, "last"}));
}

TEST(Inputs, FolderWithoutCapturesIsAnError) {
  const ScratchFolder folder;
  folder.write("notes.txt", Bytes(100, 'x'));
  EXPECT_THROW(expand_inputs({folder.path()}), Error);
}

TEST(Inputs, PackedCapturesInAFolderCountAndOtherPackedFilesDoNot) {
  const ScratchFolder folder;
  Names captures;
  for (const Packer& packer : packers()) {
    captures.push_back(folder.write(packer.name + "-a", packer.pack(PcapFile().data())));
    captures.push_back(folder.write(packer.name + "-b", packer.pack(PcapngFile().data())));
    folder.write(packer.name + "-c.pcap.gz", packer.pack(plain_bytes(100)));
    folder.write(packer.name + "-d", packer.pack({}));
  }
  captures.push_back(folder.write("z", PcapFile().data()));
  std::sort(captures.begin(), captures.end());
  EXPECT_EQ(expand_inputs({folder.path()}), captures);
}

TEST(Inputs, StandardInputTwiceIsAMistake) {
  try {
    expand_inputs({"-", "a", "-"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), ExitStatus::usage);
  }
}

}  // namespace
}  // namespace warpmeter::test
