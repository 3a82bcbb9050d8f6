// Whether a request asks this server, by what its Host header says. A page of anybody's makes a browser ask here under
// a name of that page's, once that name leads to this machine (DNS rebinding); then the browser lets the page read the
// answer. So other names get none.
//
// Threads: any.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpmeter::inline base {

// Of "NAME[:PORT]", as in a Host header: the name in small letters, an IPv6 address without brackets; "" if it is none.
std::string host_of(std::string_view header);

// Is that localhost or an address of loopback, this machine's name, one of `names` (in small letters), or the address
// at which the client has reached us through `socket`?
bool is_own_host(const std::string& host, int socket, const std::vector<std::string>& names);

}  // namespace warpmeter::inline base
