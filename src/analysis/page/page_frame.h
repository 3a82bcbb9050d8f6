// What all pages have in common: the frame, the files that it is made of, and what is said of inputs.
#pragma once

#include <string>
#include <string_view>

#include "analysis/page/page.h"

namespace warpmeter {

// The files beside this one that make a page, as they were when this was built (cmake/EmbedText.cmake).
extern const std::string_view kPageHtml;
extern const std::string_view kPageCss;
extern const std::string_view kPageJs;  // draws what charts_of() of one of these says
extern const std::string_view kReportChartsJs;
extern const std::string_view kMemoryChartsJs;

}  // namespace warpmeter

namespace warpmeter::inline analysis {

struct PageParts {
  std::string title, about;  // `title` and `source` are plain text, the others HTML
  std::string source;        // what the page was made from
  std::string content;
  std::string data;         // JSON, without markup
  std::string_view charts;  // the script that knows the charts of the page
};

std::string framed_page(const PageParts& parts);

// HTML: the names of the inputs; what was wrong with them, if anything.
std::string inputs_of_page(const PageOptions& options);
std::string troubles_of_page(const PageOptions& options);

}  // namespace warpmeter::inline analysis
