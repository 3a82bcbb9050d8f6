// Labels as numbers, for collectors that know applications as YAF tells them: silkAppLabel (CERT, 6871/33), mostly the
// well-known port of the protocol, whatever port it was seen on. data/policies/application_labels.csv has them.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace warpmeter::inline record {

inline constexpr const char* kSilkAppLabel = "silkAppLabel";
inline constexpr std::uint16_t kSilkAppLabelNumber = 33;  // of kYafNumber

// Of the first label that has one; 0, as YAF says of what it does not know, if none has.
std::uint16_t application_label(const std::vector<std::string_view>& labels);

}  // namespace warpmeter::inline record
