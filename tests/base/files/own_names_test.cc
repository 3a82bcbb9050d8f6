// Which names in a folder are those of our own outputs.
#include "base/files/own_files.h"

#include <gtest/gtest.h>

#include "support/scratch_folder.h"

namespace warpmeter {
namespace {

TEST(OwnNames, OutputsAndTheirRotatedFiles) {
  const test::ScratchFolder folder, other;
  const OwnNames names(folder.path(), {folder.file("flows.csv"), folder.path() + "/./a.b.json.gz", other.file("x.csv"),
                                       "-", "", folder.file("bare"), other.file("none/y.csv")});
  for (const char* const ours :
       {"flows.csv", "flows.20260131T120000Z.csv", "flows.20260131T120000Z-2.csv", "flows.000123.csv",
        "flows.empty.csv", "a.b.json.gz", "a.b.20260131T120000Z.json.gz", "bare", "bare.000001"}) {
    EXPECT_TRUE(names.contains(ours)) << ours;
  }
  for (const char* const not_ours : {"flows.pcap", "flows.1.pcap", "flow.csv", "x.csv", "y.csv", "a.json.gz", "barely",
                                     "bare.pcap", "flows.1.csv", "flows.mine.csv", "flows..cs", ""}) {
    EXPECT_FALSE(names.contains(not_ours)) << not_ours;
  }
}

}  // namespace
}  // namespace warpmeter
