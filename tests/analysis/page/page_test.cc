// The page: complete in itself, the same bytes for the same sums, and nothing from outside becomes markup.
#include "analysis/page/page.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/report_flows.h"

namespace warpmeter {
namespace {

using test::data_flow;
using test::occurrences;

bool holds(const std::string& text, std::string_view what) { return text.find(what) != std::string::npos; }

void fill(ReportData& data, int flows = 50) {
  for (int i = 0; i < flows; ++i) {
    FlowRecord flow =
        data_flow(i, 100 + i % 7, static_cast<std::uint64_t>(150 + 20 * i), static_cast<std::uint64_t>(i % 3));
    flow.duplicate_packets = i % 5 == 0 ? 100 : 0;
    flow.missing_bytes = i % 4 == 0 ? 1460 : 0;
    flow.zero_window_count = i % 9 == 0;
    flow.start_ns += i * test::kSecondNs;
    flow.end_ns += i * test::kSecondNs;
    data.add(flow);
  }
}

std::string page_of(const ReportData& data, const std::string& title = "") {
  return page(data, {.title = title, .rows = 10, .inputs = {"flows.csv"}, .damage = {}, .interrupted = false});
}

TEST(Page, LoadsNothing) {
  ReportData data;
  fill(data);
  const std::string text = page_of(data);
  for (const char* what : {"http:", "https:", "//www", "@import", "url(", "src=", "<link rel=\"stylesheet", "<iframe",
                           "fetch(", "XMLHttpRequest", "WebSocket", "import("}) {
    EXPECT_FALSE(holds(text, what)) << what;
  }
  EXPECT_TRUE(holds(text, "default-src 'none'"));
  EXPECT_LT(text.size(), 200'000u);
}

TEST(Page, FillsEveryPlace) {
  ReportData data;
  fill(data);
  const std::string text = page_of(data);
  for (const char* place : {"@title@", "@style@", "@content@", "@data@", "@script@", "@about@", "@inputs@", "@filter@"})
    EXPECT_FALSE(holds(text, place));
  EXPECT_EQ(occurrences(text, "<section"), 11u);
  EXPECT_EQ(occurrences(text, "<section"), occurrences(text, "</section>"));
  EXPECT_EQ(occurrences(text, "<figure"), 4u);
  EXPECT_EQ(occurrences(text, "<div"), occurrences(text, "</div>"));
}

TEST(Page, HostileNamesStayText) {
  ReportData data;
  fill(data);
  const std::string hostile = "</title><script>alert(1)</script><img src=x onerror=alert(2)>\"'&\xFF@data@ http://x";
  const std::string text = page(data, {.title = hostile,
                                       .rows = 10,
                                       .inputs = {"<b>" + hostile},
                                       .damage = {{hostile, {7, hostile}}},
                                       .interrupted = false});
  const std::string harmless = page_of(data);
  for (const char* tag : {"<script", "</script", "<img", "</title", "<b>"}) {
    const std::size_t more = std::string_view(tag) == "<b>" ? 1 : 0;  // the word "damaged"
    EXPECT_EQ(occurrences(text, tag), occurrences(harmless, tag) + more) << tag;
  }
  EXPECT_TRUE(holds(text, "&lt;/title&gt;&lt;script&gt;alert(1)"));
  EXPECT_TRUE(holds(text, "\xEF\xBF\xBD@data@"));  // and no place to fill either
  EXPECT_EQ(occurrences(text, "id=\"data\""), 1u);
}

TEST(Page, NumbersOfTheChartsAreWholeJson) {
  ReportData data;
  fill(data);
  const std::string text = chart_data(data);
  EXPECT_EQ(text.find_first_of("<>&"), std::string::npos);
  const nlohmann::json document = nlohmann::json::parse(text);
  const auto sum = [](const nlohmann::json& list) {
    double total = 0;
    for (const auto& value : list) total += value.get<double>();
    return total;
  };
  const nlohmann::json& time = document["time"];
  EXPECT_NEAR(sum(time["bytes"]), static_cast<double>(data.totals.bytes), 5);
  EXPECT_NEAR(sum(time["retransmitted"]), static_cast<double>(data.totals.retransmitted_segments), 5);
  EXPECT_NEAR(sum(time["flows_with_gaps"]), static_cast<double>(data.totals.flows_with_gaps), 5);
  std::uint64_t flows = 0, copies = 0;
  for (const auto& bin : document["sizes"]) flows += bin["flows"].get<std::uint64_t>();
  for (const auto& bin : document["duplicates"]) copies += bin["copies"].get<std::uint64_t>();
  EXPECT_EQ(flows, data.totals.flows);
  EXPECT_EQ(copies, data.totals.duplicate_packets);
}

TEST(Page, BringsTheWorstFlowsOfListedHosts) {
  ReportData data;
  for (int to = 1; to <= 30; ++to) data.add(data_flow(0, to, 100, static_cast<std::uint64_t>(to)));
  FlowRecord silent = data_flow(40, 41, 100, 0);
  silent.zero_window_count = 3;
  silent.absent = test::without("packets");
  data.add(silent);
  const nlohmann::json flows = nlohmann::json::parse(chart_data(data))["flows"];
  const nlohmann::json& host = flows["retransmitted_segments"]["10.0.0.1"];
  EXPECT_EQ(host["all"], 30);
  ASSERT_EQ(host["worst"].size(), 20u);
  EXPECT_EQ(host["worst"][0],
            nlohmann::json::array({"10.0.0.31", 50000, 443, 6, 1.7e12, 1000.0, 100, 150000, 100, 30, 0}));
  EXPECT_EQ(host["worst"][19][9], 11);
  EXPECT_FALSE(flows["retransmitted_segments"].contains("10.0.0.41"));
  EXPECT_EQ(flows["zero_window_count"]["10.0.0.41"]["worst"][0][6], nullptr);  // not known
}

TEST(Page, StaysSmallHoweverManyHostsAndRows) {
  ReportData data;
  for (int i = 0; i < 40'000; ++i) {
    FlowRecord flow = data_flow(i % 5'000, 6'000 + i, 100, static_cast<std::uint64_t>(1 + i % 13));
    flow.start_ns += i * test::kSecondNs;
    flow.end_ns += i * test::kSecondNs;
    data.add(flow);
  }
  EXPECT_LT(page_of(data).size(), 600'000u);
  const nlohmann::json hosts = nlohmann::json::parse(chart_data(data))["hosts"];
  std::size_t numbers = 0;
  for (const auto& host : hosts["hosts"]) numbers += host["retransmitted"].size();
  EXPECT_GT(numbers, 100u);
  EXPECT_LE(numbers, kMostNumbersOfTimes);
  PageOptions options;
  options.rows = 1000;
  std::size_t flows = 0;
  const nlohmann::json of_hosts = nlohmann::json::parse(chart_data(data, options))["flows"];
  for (const auto& host : of_hosts["retransmitted_segments"]) flows += host["worst"].size();
  EXPECT_GT(flows, kMostFlowsOfPage - 20);
  EXPECT_LE(flows, kMostFlowsOfPage);
}

TEST(Page, ForgottenHostsLeaveNoFlowsToOthers) {
  ReportData data(20, 1000);
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 60; ++i) data.add(data_flow(i, 100, 100, static_cast<std::uint64_t>(i)));
  }
  const nlohmann::json flows = nlohmann::json::parse(chart_data(data))["flows"]["retransmitted_segments"];
  ASSERT_GE(flows.size(), 10u);
  for (const auto& [host, its] : flows.items()) {
    const int number = std::stoi(host.substr(7)) - 1;
    for (const auto& flow : its["worst"]) EXPECT_EQ(flow[9], number) << host;  // none of another host
    EXPECT_LE(its["worst"].size(), its["all"].get<std::size_t>());
  }
}

TEST(Page, TellsHowLongHandshakesTook) {
  ReportData data;
  data.add(data_flow(1, 2, 10, 0));
  EXPECT_TRUE(holds(page_of(data), "<code>extract --biflow</code> writes them."));
  for (int i = 0; i < 98; ++i) data.add_handshake(15'000'000);
  data.add_handshake(9'999);
  data.add_handshake(60'000'000'000);
  const std::string text = page_of(data);
  EXPECT_TRUE(
      holds(text,
            "From SYN to SYN+ACK, the median of 100 handshakes lies between 10 ms and 20 ms, the 99th percentile "
            "between 10 ms and 20 ms."))
      << text.substr(text.find("id=\"handshakes\""), 300);
  const nlohmann::json bins = nlohmann::json::parse(chart_data(data))["handshakes"];
  EXPECT_EQ(bins.front(), (nlohmann::json{{"count", 1}, {"from_us", 0}}));
  EXPECT_EQ(bins[10], (nlohmann::json{{"count", 98}, {"from_us", 10'000}}));
  EXPECT_EQ(bins.back(), (nlohmann::json{{"count", 1}, {"from_us", 10'000'000}}));
}

TEST(Page, SaysKindlyThatThereIsNothing) {
  const std::string nothing = page_of(ReportData{});
  EXPECT_TRUE(holds(nothing, "not a single flow"));
  EXPECT_FALSE(holds(nothing, "<figure"));

  ReportData clean;
  clean.add(data_flow(1, 2, 100, 0));
  const std::string text = page_of(clean);
  EXPECT_TRUE(holds(text, "every data segment was sent once"));
  EXPECT_TRUE(holds(text, "No packet arrived twice"));
  EXPECT_TRUE(holds(text, "No receiver closed its window"));
  EXPECT_TRUE(holds(text, "No TCP flow has a gap"));
  EXPECT_FALSE(holds(text, "data-chart=\"gaps\""));

  ReportData udp;
  udp.add(test::flow_between(1, 2, kProtocolUdp));
  EXPECT_TRUE(holds(page_of(udp), "There is no TCP here"));
}

TEST(Page, SaysWhatWasNotMeasured) {
  ReportData data;
  FlowRecord flow = data_flow(1, 2, 0, 0);
  flow.absent = ~std::uint32_t{0} & ~test::without("packets") & ~test::without("bytes");
  data.add(flow);
  const std::string text = page_of(data);
  EXPECT_EQ(occurrences(text, "Not measured by the meter that wrote this input."), 4u);
  EXPECT_TRUE(holds(text, "Why flows ended was not told"));
  EXPECT_FALSE(holds(text, "id=\"headlines\""));
  EXPECT_FALSE(holds(text, "No packet arrived twice"));

  flow.absent = 0;
  data.add(flow);
  EXPECT_TRUE(holds(page_of(data), "Measured for 1 of 2 flows only"));
}

// The senders of a list, from its caption on.
std::vector<std::string> senders(const std::string& text, const std::string& caption) {
  const std::size_t from = text.find("<caption>" + caption + "</caption>");
  if (from == std::string::npos) return {};
  const std::string list = text.substr(from, text.find("</table>", from) - from);
  std::vector<std::string> found;
  for (std::size_t at = 0; (at = list.find("\">10.0.0.", at)) != std::string::npos; ++at) {
    at += 2;
    found.push_back(list.substr(at, list.find('<', at) - at));
  }
  return found;
}

using Hosts = std::vector<std::string>;

TEST(Page, ListsByNumberAndByShareThatIsSure) {
  ReportData data;
  data.add(data_flow(0, 9, 900'000, 4'500));  // 10.0.0.1 and so on
  data.add(data_flow(1, 9, 89, 27));
  data.add(data_flow(2, 9, 3, 2));
  data.add(data_flow(3, 9, 40, 10));
  data.add(data_flow(4, 9, 12, 4));
  const std::string text = page_of(data);
  EXPECT_EQ(senders(text, "Hosts, as senders: by number"),
            (Hosts{"10.0.0.1", "10.0.0.2", "10.0.0.4", "10.0.0.5", "10.0.0.3"}));
  EXPECT_EQ(senders(text, "Hosts, as senders: by share"), (Hosts{"10.0.0.2", "10.0.0.4", "10.0.0.5", "10.0.0.1"}));
  EXPECT_FALSE(holds(text, "</b> stands out"));  // three of five hosts are far above the others
  EXPECT_TRUE(holds(text, "<td class=\"n\" data-v=\"27\">27 of 89</td>"));
  EXPECT_TRUE(holds(text, ">22 %</td>"));
  EXPECT_TRUE(holds(text, "<td class=\"n\" data-v=\"4500\">4,500 of 900,000</td>"));
}

// `worst` of 200 segments of each of the five flows of 10.0.0.1, 4 of those of the other hosts.
std::string headlines_of(int hosts, std::uint64_t worst) {
  ReportData data;
  for (int host = 0; host < hosts; ++host) {
    for (int flow = 0; flow < 5; ++flow) data.add(data_flow(host, 99, 200, host == 0 ? worst : 4));
  }
  const std::string text = page_of(data);
  const std::size_t at = text.find("<ul class=\"headlines\">");
  return text.substr(at, text.find("</ul>", at) - at);
}

TEST(Page, SaysWhatStandsOutAndWhatWasTested) {
  const std::string text = headlines_of(20, 20);
  EXPECT_TRUE(holds(text,
                    "<b>10.0.0.1</b> stands out by its share: 100 of its 1,000 data segments, 10 %; that is surely at "
                    "least 3.4 times the share of all others together, which is 2.0 %."))
      << text;
  EXPECT_TRUE(
      holds(text,
            "Tested: 20 hosts; exact binomial bounds, 95 % sure for all hosts at once; as losses cluster, counts "
            "were first divided by their dispersion, 1.0."));
}

TEST(Page, NamesNoHostWhereNoneStandsOut) {
  const std::string alike = headlines_of(20, 5);
  EXPECT_TRUE(holds(alike, "No host stands out."));
  EXPECT_TRUE(holds(alike, "Tested: of 20 hosts, none has a share that is surely above that of all others together"));
  EXPECT_FALSE(holds(alike, "10.0.0."));
  const std::string two = headlines_of(2, 100);
  EXPECT_TRUE(holds(two, "Whether a host stands out was not tested: that takes 3 hosts"));
  EXPECT_TRUE(holds(two, "and here 2 have that."));
  EXPECT_TRUE(holds(headlines_of(1, 100), "and here 1 has that."));
}

TEST(Page, GradesWhatStandsOut) {
  EXPECT_TRUE(holds(headlines_of(20, 20), "<li class=\"loud\">"));
  EXPECT_TRUE(holds(headlines_of(20, 5), "<li class=\"counted\">"));
  EXPECT_FALSE(holds(headlines_of(20, 5), "<li class=\"loud\">"));
}

TEST(Page, RowsOfferTheirFlowsAndTheNamesOfTheInputs) {
  ReportData data;
  data.add(data_flow(0, 9, 100, 30));
  const auto page_from = [&](std::vector<std::string> inputs) {
    PageOptions options;
    options.inputs = std::move(inputs);
    return page(data, options);
  };
  const std::string text = page_from({"a.csv", "it's <b>.csv"});
  EXPECT_TRUE(holds(text, "<main data-inputs=\"a.csv &#39;it&#39;\\&#39;&#39;s &lt;b&gt;.csv&#39;\" data-filter"));
  EXPECT_TRUE(holds(text, "<table data-sort=\"retransmitted_segments\" data-verdicts=\"retransmitted\">"));
  EXPECT_TRUE(holds(text, "<tr data-filter=\"src addr 10.0.0.1\" data-host=\"10.0.0.1\">"));
  EXPECT_TRUE(holds(text, "<tr data-filter=\"port 443\">")) << text;
  for (const char* no_word : {"-", "-f", "<Flows>", "two\nlines", ""}) {
    EXPECT_TRUE(holds(page_from({no_word}), "<main data-inputs=\"\" ")) << no_word;
  }
}

TEST(Page, HasOneListWhereBothAreTheSame) {
  ReportData data;
  data.add(data_flow(0, 9, 100, 30));
  data.add(data_flow(1, 9, 100, 10));
  const std::string text = page_of(data);
  EXPECT_EQ(senders(text, "Hosts, as senders: by number and by share"), (Hosts{"10.0.0.1", "10.0.0.2"}));
  EXPECT_FALSE(holds(text, ": by share<"));
}

TEST(Page, SaysWhenHostsWereForgotten) {
  ReportData data(20, 1000);
  fill(data, 60);
  EXPECT_TRUE(holds(page_of(data), "more than 20 hosts"));
  EXPECT_FALSE(holds(page_of(data), "pairs of hosts: those"));
}

TEST(Page, TellsDamage) {
  ReportData data;
  fill(data);
  const std::string text = page(data, {.title = "",
                                       .rows = 10,
                                       .inputs = {"a.csv"},
                                       .damage = {{"a.csv", {1234, "line 7: 'x' is no number"}}},
                                       .interrupted = false});
  EXPECT_TRUE(holds(text, "The input was damaged."));
  EXPECT_TRUE(holds(text, "from byte 1,234 on: line 7: &#39;x&#39; is no number"));
}

TEST(Page, TellsThatItWasInterrupted) {
  ReportData data;
  fill(data);
  EXPECT_TRUE(holds(page(data, {.title = "", .rows = 10, .inputs = {}, .damage = {}, .interrupted = true}),
                    "Reading was interrupted."));
  EXPECT_FALSE(holds(page_of(data), "interrupted"));
}

TEST(Page, IsTheSameForTheSameSums) {
  ReportData a, b;
  fill(a);
  fill(b);
  EXPECT_EQ(page_of(a), page_of(b));
}

TEST(Page, HasAsManyRowsAsAskedFor) {
  ReportData data;
  for (int i = 0; i < 100; ++i) data.add(data_flow(i, 200, 100, 5));
  const auto rows = [&](std::size_t n) {
    return occurrences(page(data, {.title = "", .rows = n, .inputs = {}, .damage = {}, .interrupted = false}),
                       "<th scope=\"row\">");
  };
  EXPECT_EQ(rows(20) - rows(10), 30u);  // of senders, of hosts that retransmit and of their pairs
}

}  // namespace
}  // namespace warpmeter
