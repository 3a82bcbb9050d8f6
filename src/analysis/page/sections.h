// The sections of the page, each as HTML: a heading, what it shows in a sentence, a place for its chart, its tables.
//
// Where nothing was found they say so; where the meters that wrote the files did not count it, they say that. Behind
// the sections stands what they share: words where something was not counted, keys as cells of tables.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

#include "analysis/page/html.h"
#include "analysis/page/report_data.h"

namespace warpmeter::inline analysis {

// REQUIRES, of all of them: at least one flow.
std::string tiles(const ReportData& data);
std::string headlines_section(const ReportData& data);
std::string time_section(const ReportData& data);
std::string what_runs_section(const ReportData& data, std::size_t rows);  // empty if nothing is noted of any flow
std::string senders_section(const ReportData& data, std::size_t rows);
std::string talkers_section(const ReportData& data, std::size_t rows);
std::string gaps_section(const ReportData& data, std::size_t rows);
std::string duplicates_section(const ReportData& data, std::size_t rows);
std::string zero_windows_section(const ReportData& data, std::size_t rows);
std::string handshakes_section(const ReportData& data);
std::string sizes_section(const ReportData& data);
std::string make_up_section(const ReportData& data);
std::string reading_section(const ReportData& data);

// Has any flow a value in each of these columns, or could none have one?
bool measured(const ReportData& data, std::initializer_list<std::string_view> columns);

// Empty if the section can be written. Otherwise what stands in its place, as HTML.
std::string why_not(const ReportData& data, std::initializer_list<std::string_view> columns);

// A remark, as HTML, where some meters measured the column and others did not. Usually empty.
std::string partly(const ReportData& data, std::string_view column);

// A remark where there were too many keys to keep all by name. Usually empty. `what`: "hosts".
template <class Key, class Sums>
std::string forgotten(const CountedBy<Key, Sums>& counted, std::string_view what);

std::string host_name(const HostKey& host);  // plain text
// Keys as cells of a table.
html::Cell host_cell(const ReportData& data, const HostKey& host);
html::Cell pair_cell(const ReportData& data, const HostPairKey& pair);
html::Cell port_cell(const ReportData& data, const PortKey& port);
// The flows of a key as a filter of `show -f`: those that the host, or the first of two, sent, but of biflows both
// ways.
std::string filter_of(const ReportData& data, const HostKey& sender);
std::string filter_of(const ReportData& data, const HostPairKey& pair);
std::string filter_of(const ReportData& data, const PortKey& port);

}  // namespace warpmeter::inline analysis
