// A long capture filter in parts, of which a packet has to match one. libpcap takes minutes to compile one expression
// of a thousand alternatives, and a moment for each of some parts of it.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace warpmeter::inline packet {

// Parts of about `size` characters, or less. The whole as one part where it is not sure that they mean the same:
// alternatives of all of it alone are taken apart, and only in front of a word that begins a new one, since `host a or
// b` means `host b`; and none behind words that change where later ones look, as `vlan` does.
std::vector<std::string> filter_parts(const std::string& expression, std::size_t size);

}  // namespace warpmeter::inline packet
