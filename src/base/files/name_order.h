// The order of file names that people expect: numbers in them by their value, and the files of --rotate by their time.
#pragma once

#include <compare>
#include <string_view>

namespace warpmeter::inline base {

// flows.999999.csv comes before flows.1000000.csv, flows.20260131T120000Z.csv before
// flows.20260131T120000.500000000Z.csv and all files of a folder together. Total: only equal names are equal.
std::strong_ordering name_order(std::string_view a, std::string_view b);

}  // namespace warpmeter::inline base
