// Segment files as sets: what belongs together, in which order, and what must not be metered together.
#include "packet/segments/segment_sets.h"

#include <gtest/gtest.h>

#include "support/segment_files.h"
#include "support/thrown_text.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace {

using test::FramedSegment;
using test::ScratchFolder;
using test::thrown_text;
using Names = std::vector<std::string>;

constexpr std::int64_t kHour = 3'600'000'000'000;

// Sets in folders of their own, an hour each.
struct SetsInFolders {
  ScratchFolder scratch{test::folder_in_memory()};

  Names add(const std::string& name, int hour, unsigned partitions = 4,
            const std::function<void(SetFacts&)>& change = {}) {
    auto all = test::RandomSegments(static_cast<std::uint64_t>(hour) + 10).next_ones(200);
    SetFacts facts = test::facts_of(all);
    facts.inputs = {name};
    facts.first_ns = hour * kHour;
    facts.latest_ns = facts.first_ns + kHour;
    if (change) change(facts);
    return test::write_set(scratch.file(name), partitions, 64, all, facts);
  }
  SegmentSets look(const Names& files, FileOrder order = FileOrder::time,
                   const std::optional<PartitionChoice>& choice = {}, const Names& whole = {}) const {
    return look_at_sets(files, whole, order, choice);
  }
  std::string refused(const Names& files, FileOrder order = FileOrder::time,
                      const std::optional<PartitionChoice>& choice = {}, const Names& whole = {}) const {
    return without_folder(thrown_text([&] { look(files, order, choice, whole); }));
  }
  std::string without_folder(std::string text) const {
    const std::string folder = scratch.path() + "/";
    for (std::size_t at; (at = text.find(folder)) != std::string::npos;) text.erase(at, folder.size());
    return text;
  }
  // Names of the sets, in their order.
  Names order_of(const Names& files, FileOrder order) const {
    Names names;
    for (const SegmentSet& set : look(files, order).sets) names.push_back(without_folder(set.name));
    return names;
  }
};

Names joined_names(const Names& a, const Names& b) {
  Names all = a;
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

TEST(SegmentSets, FilesOfASetAreOne) {
  SetsInFolders folders;
  Names files = folders.add("a", 1, 16);
  const Names sorted = files;
  std::reverse(files.begin(), files.end());
  const SegmentSets sets = folders.look(files);
  ASSERT_EQ(sets.sets.size(), 1u);
  const SegmentSet& set = sets.sets.front();
  EXPECT_EQ(set.files, sorted);
  EXPECT_EQ(set.name, folders.scratch.file("a"));
  EXPECT_TRUE(set.has_first);
  EXPECT_EQ(set.facts.inputs, Names{"a"});
  EXPECT_EQ(sets.segments, 200u);
  EXPECT_EQ(sets.files_again, 0u);
  std::uint64_t bytes = 0;
  for (const std::string& file : files) bytes += std::filesystem::file_size(file);
  EXPECT_EQ(set.bytes, bytes);
}

TEST(SegmentSets, SomePartsMayBeReadAlone) {
  SetsInFolders folders;
  const Names files = folders.add("a", 1, 4);
  const SegmentSets sets = folders.look({files[2], files[1]});
  EXPECT_EQ(sets.sets.front().files, (Names{files[1], files[2]}));
  EXPECT_FALSE(sets.sets.front().has_first);
  EXPECT_EQ(folders.look({files[2]}).sets.front().name, files[2]);
}

TEST(SegmentSets, FolderMustHaveAllParts) {
  SetsInFolders folders;
  const Names files = folders.add("a", 1, 4);
  const Names some = {files[0], files[1], files[3]};
  EXPECT_EQ(folders.refused(some, FileOrder::time, {}, {folders.scratch.file("a")}), "a: part 3 of 4 is missing");
  EXPECT_EQ(folders.refused(some, FileOrder::time, {}, {folders.scratch.path() + "/"}), "a: part 3 of 4 is missing");
  EXPECT_EQ(folders.refused(some, FileOrder::time, {}, {folders.scratch.file("b")}), "");
  EXPECT_EQ(folders.refused(files, FileOrder::time, {}, {folders.scratch.file("a")}), "");
}

TEST(SegmentSets, FileUnderSeveralNamesIsReadOnce) {
  SetsInFolders folders;
  Names files = folders.add("a", 1, 2);
  std::filesystem::create_hard_link(files[0], folders.scratch.file("again"));
  files.push_back(folders.scratch.file("again"));
  files.push_back(files[1]);
  const SegmentSets sets = folders.look(files);
  EXPECT_EQ(sets.files_again, 2u);
  EXPECT_EQ(sets.segments, 200u);
  EXPECT_EQ(sets.sets.front().files.size(), 2u);
}

TEST(SegmentSets, CopyOfAPartIsAnError) {
  SetsInFolders folders;
  Names files = folders.add("a", 1, 2);
  std::filesystem::copy_file(files[0], folders.scratch.file("copy"));
  files.push_back(folders.scratch.file("copy"));
  EXPECT_EQ(folders.refused(files), "a/part-1 and copy are the same part of one set");
}

TEST(SegmentSets, SetsMustBeAlike) {
  SetsInFolders folders;
  const Names a = folders.add("a", 1);
  const auto refused_with = [&](const char* name, unsigned partitions, const std::function<void(SetFacts&)>& change) {
    return folders.refused(joined_names(a, folders.add(name, 3, partitions, change)));
  };
  EXPECT_EQ(refused_with("alike", 4, {}), "");
  EXPECT_EQ(refused_with("b", 8, {}), "a and b were decoded with different --partitions");
  EXPECT_EQ(refused_with("c", 4, [](SetFacts& f) { f.options.seed_mark = 9; }),
            "a and c were decoded with different hash seeds; see --hash-seed of decode");
  EXPECT_EQ(refused_with("d", 4, [](SetFacts& f) { f.options.key_vlan = true; }),
            "a and d were decoded with different options");
  EXPECT_EQ(refused_with("e", 4, [](SetFacts& f) { f.options.decapsulate = true; }),
            "a and e were decoded with different options");
  EXPECT_EQ(refused_with("f", 4, [](SetFacts& f) { f.options.filter = "tcp"; }),
            "a and f were decoded with different options");
}

TEST(SegmentSets, SetsMustHaveTheSameParts) {
  SetsInFolders folders;
  const Names a = folders.add("a", 1), b = folders.add("b", 3);
  EXPECT_EQ(folders.refused({a[0], a[1], b[0]}), "b/part-1: part 2 of 4 is missing, which a/part-2 is");
  EXPECT_EQ(folders.refused({a[0], b[0], b[1]}), "a/part-1: part 2 of 4 is missing, which b/part-2 is");
  EXPECT_EQ(folders.refused({a[0], b[1]}), "b/part-2: part 1 of 4 is missing, which a/part-1 is");
  EXPECT_EQ(folders.refused({a[0], a[2], b[2], b[0]}), "");
}

TEST(SegmentSets, OrderIsByTimeNameOrAsGiven) {
  SetsInFolders folders;
  const Names b = folders.add("b", 1), a = folders.add("a", 2), c = folders.add("c", 3);
  const Names empty = folders.add("0", 0, 4, [](SetFacts& f) {
    f.counters = {};
    f.first_ns = f.latest_ns = 0;
  });
  const Names all = joined_names(joined_names(empty, c), joined_names(a, b));
  EXPECT_EQ(folders.order_of(all, FileOrder::time), (Names{"b", "a", "c", "0"}));
  EXPECT_EQ(folders.order_of(all, FileOrder::name), (Names{"0", "a", "b", "c"}));
  EXPECT_EQ(folders.order_of(all, FileOrder::given), (Names{"0", "c", "a", "b"}));
}

TEST(SegmentSets, SetsThatOverlapMustBeDecodedTogether) {
  SetsInFolders folders;
  const Names a = folders.add("a", 1);
  const Names touches = folders.add("b", 2);  // begins with the last nanosecond of the other
  const Names overlaps = folders.add("c", 2, 4, [](SetFacts& f) { --f.first_ns; });
  EXPECT_EQ(folders.refused(joined_names(a, touches)), "");
  const Names both = joined_names(overlaps, a);
  EXPECT_EQ(folders.refused(both),
            "a and c overlap in time: their captures must be decoded together, in one set; or say --order given or "
            "--order name");
  EXPECT_EQ(folders.refused(both, FileOrder::given), "");
  EXPECT_EQ(folders.refused(both, FileOrder::name), "");
}

TEST(SegmentSets, PartitionsOfTheChoice) {
  SetsInFolders folders;
  const Names files = folders.add("a", 1, 64);
  const auto files_of = [&](unsigned number, unsigned of) {
    return folders.look(files, FileOrder::time, PartitionChoice{number, of}).sets.front();
  };
  EXPECT_EQ(files_of(3, 16).files, (Names{files[8], files[9], files[10], files[11]}));
  EXPECT_FALSE(files_of(3, 16).has_first);
  EXPECT_TRUE(files_of(1, 16).has_first);
  EXPECT_EQ(files_of(64, 64).files, Names{files[63]});
  EXPECT_EQ(files_of(1, 1).files, files);
  Names all;
  for (unsigned i = 1; i <= 8; ++i) all = joined_names(all, files_of(i, 8).files);
  EXPECT_EQ(all, files);
}

TEST(SegmentSets, ChoiceNeedsItsPartsAndNoOthers) {
  SetsInFolders folders;
  const Names files = folders.add("a", 1, 4), whole = {folders.scratch.file("a")};
  const PartitionChoice second{2, 2};
  EXPECT_EQ(folders.refused({files[2], files[3]}, FileOrder::time, second, whole), "");
  EXPECT_EQ(folders.refused({files[0], files[2]}, FileOrder::time, second, whole), "a: part 4 of 4 is missing");
  try {
    folders.look(files, FileOrder::time, PartitionChoice{1, 8});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), ExitStatus::usage);
    EXPECT_EQ(folders.without_folder(error.what()), "--partition 1/8: a has 4 partitions");
  }
}

TEST(SegmentSets, FileThatIsDamagedIsNamed) {
  SetsInFolders folders;
  Names files = folders.add("a", 1);
  test::write_file(folders.scratch.file("x"), std::string("WMSEG\r\n\x1a and no more"));
  files.push_back(folders.scratch.file("x"));
  EXPECT_EQ(folders.refused(files), "x: segment file is damaged: cut short");
}

}  // namespace
}  // namespace warpmeter
