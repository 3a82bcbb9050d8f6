// Pages for people, the report and that of `warpmeter memory`: one HTML file that needs nothing else, no network and no
// other file.
//
// Figures, sentences and tables are HTML and can be read without a script; the script draws the charts. The same sums
// and options give the same bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/page/coalescing.h"
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

struct PageOptions {
  std::string title;                                       // empty: a general one
  std::size_t rows = 10;                                   // of each list
  std::vector<std::string> inputs;                         // names, as the user gave them
  std::string filter = {};                                 // what flows had to meet; empty: none
  bool recursive = false;                                  // of folders, those below them are read too
  std::vector<std::pair<std::string, ReadDamage>> damage;  // of which input
  std::string files = {};                                  // how many they were; empty: as many as names
  std::vector<std::string> unreadable = {};                // messages about files that are not in the page
  std::vector<std::string> metering = {};                  // what the metering of the captures had to say
  CoalescingSavings coalescing = {};                       // of the same captures
  bool interrupted = false;                                // reading was stopped before the end
};

std::string page(const ReportData& data, const PageOptions& options);

// What the page's script draws from: numbers alone, no text from the input. JSON that may stand in a <script> element:
// it holds no '<', '>', '&' and nothing beyond ASCII.
std::string chart_data(const ReportData& data, const CoalescingSavings& coalescing = {});

// What all pages have in common: the frame, and what is said of inputs.
struct PageParts {
  std::string title, about;  // `title` and `source` are plain text, the others HTML
  std::string source;        // what the page was made from
  std::string inputs = {};   // its files as words of a shell, for commands; plain text
  std::string filter = {};   // of PageOptions; plain text
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
