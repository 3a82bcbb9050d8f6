// The files beside this one that make a page, as they were when this was built (cmake/EmbedText.cmake).
#pragma once

#include <string_view>

namespace warpmeter {

extern const std::string_view kPageHtml;
extern const std::string_view kPageCss;
extern const std::string_view kPageJs;  // draws what charts_of() of one of these says
extern const std::string_view kReportChartsJs;
extern const std::string_view kMemoryChartsJs;

}  // namespace warpmeter
