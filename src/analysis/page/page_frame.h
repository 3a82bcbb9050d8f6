// What all pages have in common: the frame, and what is said of inputs.
#pragma once

#include <string>
#include <string_view>

#include "analysis/page/page.h"

namespace warpmeter::inline analysis {

struct PageParts {
  std::string title, about;  // `title` and `source` are plain text, the others HTML
  std::string source;        // what the page was made from
  std::string content;
  std::string data;         // JSON, without markup (embedded_json())
  std::string_view charts;  // the script that knows the charts of the page (page_files.h)
};

std::string framed_page(const PageParts& parts);

// HTML: the names of the inputs; what was wrong with them, if anything.
std::string inputs_of_page(const PageOptions& options);
std::string troubles_of_page(const PageOptions& options);

}  // namespace warpmeter::inline analysis
