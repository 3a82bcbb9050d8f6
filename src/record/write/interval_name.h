// The intervals of --rotate TIME: multiples of a length since 1970, and what their files are called.
#pragma once

#include <cstdint>
#include <string>

namespace warpmeter::inline record {

// Of the interval that a time lies in; ns since 1970.
std::int64_t beginning_of_interval(std::int64_t ns, std::int64_t length);

// 20260131T120000Z; with a fraction where intervals are shorter than a second or lie between seconds.
std::string interval_name(std::int64_t beginning_ns);

}  // namespace warpmeter::inline record
