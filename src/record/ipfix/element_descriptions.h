// The descriptions in a registry of Information Elements (data/*-elements.xml), which libfixbuf's own reader passes
// over and RFC 5610 wants to be exported.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace warpmeter::inline record {

// By name of the element; in one line each. Throws Error if it is no XML.
std::map<std::string, std::string> element_descriptions(std::string_view xml);

}  // namespace warpmeter::inline record
