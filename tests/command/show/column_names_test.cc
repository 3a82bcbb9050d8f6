// Names that columns have in other schemas: one table, which the page of it repeats, and the elements of IPFIX follow.
#include "command/show/column_names.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/query/field.h"
#include "core/annex.h"
#include "support/source_folder.h"
#if WARPMETER_HAVE_IPFIX
#include "record/ipfix/info_model.h"
#include "record/ipfix/record_shape.h"
#endif

namespace warpmeter {
namespace {

using Names = std::vector<std::string>;
constexpr Naming kSchemas[] = {Naming::ipfix, Naming::zeek, Naming::ecs};

std::string cell_of(std::string_view names) {
  std::string cell;
  for (const char c : names) cell += c == ' ' ? "`, `" : std::string(1, c);
  return cell.empty() ? "" : " `" + cell + "`";
}

TEST(ColumnNames, ThePageHasThem) {
  std::ifstream page(test::source_folder() + "/docs/names.md");
  std::vector<std::string> rows, wanted;
  bool in_table = false;
  for (std::string line; std::getline(page, line);) {
    in_table |= line == "<!-- names -->";
    if (in_table && line.starts_with("| `")) rows.push_back(line);
  }
  for (const ColumnNames& names : column_names()) {
    wanted.push_back("|" + cell_of(names.column) + " |" + cell_of(names.ipfix) + " |" + cell_of(names.zeek) + " |" +
                     cell_of(names.ecs) + " |");
  }
  EXPECT_EQ(rows, wanted);
}

TEST(ColumnNames, NoNameStandsForTwoColumns) {
  for (const Naming naming : kSchemas) {
    std::map<std::string, std::string> columns;
    for (const ColumnNames& names : column_names()) {
      for (const std::string& name : names_in(naming, std::string(names.column))) {
        const std::string column(names.column.substr(0, names.column.find_last_of('_')));
        const auto [found, is_new] = columns.emplace(name, column);
        EXPECT_TRUE(is_new || found->second == column) << name;  // start_ns and start_us
        const bool is_own = name.starts_with("warpmeter");
        EXPECT_EQ(column_of(naming, name).empty(), is_own) << name;
      }
    }
  }
}

TEST(ColumnNames, EveryColumnHasOne) {
  EXPECT_EQ(names_in(Naming::usual, "bytes"), Names{"bytes"});
  EXPECT_EQ(names_in(Naming::ipfix, "src_addr"), (Names{"sourceIPv4Address", "sourceIPv6Address"}));
  EXPECT_EQ(names_in(Naming::ipfix, "reverse_syn_count"), Names{"reverseTcpSynTotalCount"});
  EXPECT_EQ(names_in(Naming::ipfix, "reverse_ttl"), Names{"reverseIpTTL"});
  EXPECT_EQ(names_in(Naming::ipfix, "retransmission_share"), Names{"warpmeter_retransmission_share"});
  EXPECT_EQ(names_in(Naming::zeek, "retransmitted_segments"), Names{"warpmeter_retransmitted_segments"});
  EXPECT_EQ(names_in(Naming::ecs, "protocol"), (Names{"network.iana_number", "network.transport"}));
  EXPECT_EQ(names_in(Naming::ecs, "reverse_fin_count"), Names{"warpmeter.reverse_fin_count"});
  EXPECT_EQ(column_of(Naming::ipfix, "reverseTcpSynTotalCount"), "reverse_syn_count");
  EXPECT_EQ(column_of(Naming::ipfix, "reverseSourceTransportPort"), "");  // a key has one
  EXPECT_EQ(column_of(Naming::ecs, "tcpSynTotalCount"), "");
}

TEST(ColumnNames, ColumnsAreKnown) {
  const Names of_options = {"http_host", "tls_sni", "dns_name", "direction"};  // of a policy, of a live capture
  for (const ColumnNames& names : column_names()) {
    const std::string column(names.column),
        ns = column.ends_with("_us") ? column.substr(0, column.size() - 2) + "ns" : column;
    const bool of_geo = !missing_geo_column(column).empty();
    const bool known = Field::of(ns) || of_geo || std::ranges::find(of_options, column) != of_options.end();
    EXPECT_TRUE(known) << column;
  }
}

#if WARPMETER_HAVE_IPFIX
TEST(ColumnNames, ElementsAreThoseOfIpfixFiles) {
  const InfoModel model;
  for (const auto& element : kColumnElements)
    EXPECT_EQ(names_in(Naming::ipfix, std::string(element.column)), Names{element.element});
  for (std::size_t i = 0; i < kAnnexFields; ++i) {
    const Names names = names_in(Naming::ipfix, std::string(kAnnexFacts[i].name));
    if (!names.front().starts_with("warpmeter_")) EXPECT_EQ(names, Names{kAnnexElements[i].element});
  }
  for (const ColumnNames& column : column_names()) {
    for (const std::string& name : names_in(Naming::ipfix, std::string(column.column))) {
      const bool is_noted = column.column == "labels" || name.starts_with("warpmeter_");
      EXPECT_TRUE(is_noted || model.find(name.c_str())) << name;
    }
  }
}
#endif

}  // namespace
}  // namespace warpmeter
