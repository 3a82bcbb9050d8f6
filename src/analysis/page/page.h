// Pages for people, the report and that of `warpmeter memory`: one HTML file that needs nothing else, no network and no
// other file.
//
// Figures, sentences and tables are HTML and can be read without a script; the script draws the charts. The same sums
// and options give the same bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/page/report_data.h"
#include "core/record_reader.h"

namespace warpmeter {

// The files beside this one that make a page, as they were when this was built (cmake/EmbedText.cmake).
extern const std::string_view kPageHtml;
extern const std::string_view kPageCss;
extern const std::string_view kPageJs;  // draws what charts_of() of one of these says, which come before it
extern const std::string_view kReportChartsJs;
extern const std::string_view kMemoryChartsJs;

}  // namespace warpmeter

namespace warpmeter::inline analysis {

// What joining segments to super-packets would save, as `coalesce --dry-run --stats` counted it.
struct CoalescingSavings {
  struct Row {
    std::uint64_t threshold = 0;          // bytes
    std::uint64_t timeout_intervals = 0;  // after so many times the average interval without a packet
    std::uint64_t packets = 0;            // that are left, super-packets among them
    std::uint64_t super_packets = 0, joined = 0;
    std::uint64_t saved_bytes = 0;  // of headers

    std::uint64_t saved() const { return joined - std::min(super_packets, joined); }  // packets
    std::uint64_t all() const { return packets + saved(); }

    bool operator==(const Row&) const = default;
  };
  std::vector<Row> rows;  // by threshold, then timeout; empty: nobody counted it
};

struct PageOptions {
  std::string title;                                       // empty: a general one
  std::size_t rows = 10;                                   // of each list
  std::vector<std::string> inputs;                         // names, as the user gave them
  std::string filter = {};                                 // what flows had to meet; empty: none
  std::vector<std::string> geo = {};                       // databases that it may ask
  bool recursive = false;                                  // of folders, those below them are read too
  std::vector<std::pair<std::string, ReadDamage>> damage;  // of which input
  std::string files = {};                                  // how many they were; empty: as many as names
  std::vector<std::string> unreadable = {};                // messages about files that are not in the page
  std::vector<std::string> metering = {};                  // what the metering of the captures had to say
  CoalescingSavings coalescing = {};                       // of the same captures
  bool interrupted = false;                                // reading was stopped before the end
};

std::string page(const ReportData& data, const PageOptions& options);

// Its section; empty if nobody counted it. And for its chart a list of the rows.
std::string coalescing_section(const CoalescingSavings& savings);
nlohmann::ordered_json coalescing_chart(const CoalescingSavings& savings);

// What the page's script draws from: numbers and addresses alone, no other text from the input. JSON that may stand in
// a <script> element: it holds no '<', '>', '&' and nothing beyond ASCII. With it go the worst flows of hosts, in all
// at most kMostFlowsOfPage, and who retransmitted when, in at most kMostNumbersOfTimes numbers of each kind.
inline constexpr std::size_t kMostFlowsOfPage = 4000;
inline constexpr std::size_t kMostNumbersOfTimes = 8000;
std::string chart_data(const ReportData& data, const PageOptions& options = {});

// What all pages have in common: the frame, and what is said of inputs.
struct PageParts {
  std::string title, about;  // `title` and `source` are plain text, the others HTML
  std::string source;        // what the page was made from
  std::string inputs = {};   // its files as words of a shell, for commands; plain text
  std::string filter = {};   // of PageOptions; plain text
  std::string geo = {};      // its databases as options of a command, each behind a space; plain text
  std::string content;
  std::string data;         // JSON, without markup
  std::string_view charts;  // the script that knows the charts of the page
};

std::string framed_page(const PageParts& parts);

// HTML: the names of the inputs; what was wrong with them, if anything.
std::string inputs_of_page(const PageOptions& options);
std::string troubles_of_page(const PageOptions& options);

// The page of `warpmeter memory`: what streams of a trace would need, as sentences, charts and tables.
struct MemoryPageData {
  struct Amount {
    double mean = 0, peak = 0;
  };

  std::string trace = {};               // how long it is, and how fast: plain text, as the others
  std::vector<std::string> needs = {};  // sentences
  std::vector<std::string> notes = {};
  std::vector<unsigned> timeouts = {}, blocks = {};  // s, KiB
  std::vector<Amount> streams = {};                  // per Mbit/s, by timeout; empty: nothing can be said
  std::vector<std::vector<Amount>> megabytes = {};   // per Mbit/s, by timeout and block size
  std::size_t timeout = 0, block = 0;                // of the needs and the charts
};

std::string memory_page(const MemoryPageData& data, const PageOptions& options);

}  // namespace warpmeter::inline analysis
