// Which capabilities a capture by AF_XDP lacks: nobody should have to guess which of three it was.
//
// Source: capabilities(7).
#pragma once

#include <string>

namespace warpmeter {

// Of this thread: "CAP_NET_ADMIN and CAP_BPF"; "" if it has all.
std::string missing_rights_for_xdp();

}  // namespace warpmeter
