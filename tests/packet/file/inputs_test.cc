// Inputs as given, and the capture files they stand for.
#include "packet/file/inputs.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>

#include "support/packed.h"
#include "support/pcap_file.h"
#include "support/pcapng_file.h"
#include "support/scratch_folder.h"
#include "warpmeter/status.h"

namespace warpmeter::test {
namespace {

using Names = std::vector<std::string>;

TEST(Inputs, FilesKeepTheirOrder) { EXPECT_EQ(expand_inputs({"b", "-", "a"}).files, (Names{"b", "-", "a"})); }

TEST(Inputs, FolderMeansItsCapturesInNameOrder) {
  const ScratchFolder folder;
  const std::string c = folder.write("c", PcapFile().data());
  const std::string a = folder.write("a.txt", PcapngFile().data());
  const std::string b10 = folder.write("b10.pcap", PcapFile().data());
  const std::string b9 = folder.write("b9.pcap", PcapFile().data());
  EXPECT_EQ(expand_inputs({folder.path()}).files, (Names{a, b10, b9, c}));
}

// What is no capture is counted; what cannot be looked into is named.
TEST(Inputs, NothingInAFolderIsLeftOutSilently) {
  const ScratchFolder folder, elsewhere;
  const std::string capture = folder.write("z.pcap", PcapFile().data());
  folder.write("notes.pcap", Bytes(100, 'x'));
  ASSERT_EQ(mkfifo(folder.file("pipe.pcap").c_str(), 0600), 0);
  const std::string empty = folder.write("empty.pcap", {});
  std::filesystem::create_symlink(elsewhere.file("none"), folder.file("a"));
  std::filesystem::create_symlink("circle", folder.file("circle"));
  const InputFiles found = expand_inputs({folder.path()});
  EXPECT_EQ(found.files, (Names{empty, capture}));  // opening it says what is wrong with the first
  EXPECT_EQ(found.passed_over, 2u);
  EXPECT_EQ(found.unreadable, (Names{folder.file("a") + ": No such file or directory",
                                     folder.file("circle") + ": Too many levels of symbolic links"}));
}

TEST(Inputs, FoldersBelowCountWhereTheyAreWanted) {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder.file("inner/most"));
  const std::string deep = folder.write("inner/most/deep.pcap", PcapFile().data());
  std::filesystem::create_directory_symlink("..", folder.file("inner/back"));
  try {
    expand_inputs({folder.path()});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), folder.path() + ": no capture files in this folder; --recursive looks into those below it");
  }
  const std::string flat = folder.write("k.pcap", PcapFile().data());
  EXPECT_EQ(expand_inputs({folder.path()}).files, Names{flat});
  EXPECT_EQ(expand_inputs({folder.path()}, InputFormat::automatic, true).files, (Names{deep, flat}));
}

TEST(Inputs, LinksInAFolderCountWhereTheyLeadToACapture) {
  const ScratchFolder folder, elsewhere;
  const std::string capture = elsewhere.write("z.pcap", PcapFile().data());
  std::filesystem::create_symlink(capture, folder.file("b"));
  EXPECT_EQ(expand_inputs({folder.path()}).files, Names{folder.file("b")});
}

TEST(Inputs, FolderStandsAtItsPlaceAmongFiles) {
  const ScratchFolder folder;
  const std::string capture = folder.write("z.pcap", PcapFile().data());
  EXPECT_EQ(expand_inputs({"first", folder.path(), "last"}).files, (Names{"first", capture, "last"}));
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
  // Too short to tell: taken for a capture, so that it is not left out.
  for (const Packer& packer : packers()) {
    const Bytes packed = packer.pack(PcapFile().data());
    captures.push_back(folder.write("~" + packer.name, Bytes(packed.begin(), packed.begin() + 10)));
  }
  std::sort(captures.begin(), captures.end());
  EXPECT_EQ(expand_inputs({folder.path()}).files, captures);
}

// What a file holds says whether it is a capture, not how it is called.
TEST(Inputs, OfAFolderWhatIsHiddenIsReadToo) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder.file(".below"));
  Names captures;
  for (const char* name : {".below/e.pcap", ".hidden.pcap", "a.pcap", "b.pcap.part"}) {
    captures.push_back(folder.write(name, PcapFile().data()));
  }
  EXPECT_EQ(expand_inputs({folder.path()}, InputFormat::automatic, true).files, captures);
}

// What holds packets stays an input, so that nothing replaces it unasked.
TEST(Inputs, OutputsThatLieInAFolderAreNoInputs) {
  const ScratchFolder folder;
  const std::string capture = folder.write("a.pcap", PcapFile().data());
  const std::string empty = folder.write("empty.csv", {}), old = folder.write("old.csv", Bytes(100, 'x'));
  folder.write("other.csv", Bytes(100, 'x'));
  std::filesystem::create_symlink("empty.csv", folder.file("link"));
  const InputFiles found =
      expand_inputs({folder.path()}, InputFormat::automatic, false, {"", "-", empty, old, capture});
  EXPECT_EQ(found.files, Names{capture});
  EXPECT_EQ(found.passed_over, 1u);
  EXPECT_EQ(expand_inputs({empty}, InputFormat::automatic, false, {empty}).files, Names{empty});
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
