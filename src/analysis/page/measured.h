// Says instead of a section's content why there is none, or beside it that it is not the whole.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "analysis/page/report_data.h"

namespace warpmeter::inline analysis {

// Has any flow a value in each of these columns, or could none have one?
bool measured(const ReportData& data, std::initializer_list<std::string_view> columns);

// Empty if the section can be written. Otherwise what stands in its place, as HTML.
std::string why_not(const ReportData& data, std::initializer_list<std::string_view> columns);

// A remark, as HTML, where some meters measured the column and others did not. Usually empty.
std::string partly(const ReportData& data, std::string_view column);

// A remark where there were too many keys to keep all by name. Usually empty. `what`: "hosts".
template <class Key, class Sums>
std::string forgotten(const CountedBy<Key, Sums>& counted, std::string_view what);

}  // namespace warpmeter::inline analysis
