// Keys of --stats as they were before: with spaces, and some in capitals.
#include "base/words/stats_keys.h"

#include <gtest/gtest.h>

namespace warpmeter {
namespace {

TEST(OldStatsKey, HadSpaces) {
  EXPECT_EQ(old_stats_key("packets_read"), "packets read");
  EXPECT_EQ(old_stats_key("rows"), "rows");
}

TEST(OldStatsKey, HadCapitalsInNames) {
  EXPECT_EQ(old_stats_key("tcp_headers_cut_off"), "TCP headers cut off");
  EXPECT_EQ(old_stats_key("not_ip"), "not IP");
}

TEST(OldStatsKey, TimesWereAsTheyAre) { EXPECT_EQ(old_stats_key("from_ns"), "from_ns"); }

}  // namespace
}  // namespace warpmeter
