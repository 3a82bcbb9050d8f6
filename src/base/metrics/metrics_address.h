// Where metrics are offered: the address as users write it, the socket that listens there, and the names of hosts by
// which clients may ask there.
//
// A page of anybody's makes a browser ask here under a name of that page's, once that name leads to this machine (DNS
// rebinding); then the browser lets the page read the answer. So who asks for another host gets none.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/descriptor.h"

namespace warpmeter::inline base {

// 9100 and :9100 are that port of 127.0.0.1; other addresses have to be named, as 192.0.2.1:9100 or
// [2001:db8::1]:9100. Port 0 is any that is free.
struct MetricsAddress {
  std::string host = "127.0.0.1";  // an address, without brackets
  std::uint16_t port = 0;
  std::vector<std::string> other_names = {};  // by which it is asked for too, see is_own_host()

  // "127.0.0.1:9100", "[::1]:9100".
  std::string name() const;
};

// Throws Error (usage) with what was wrong.
MetricsAddress parse_metrics_address(const std::string& text);

// Of --metrics-name: a name as is_own_host() compares them. Throws Error (usage).
std::string parse_metrics_name(const std::string& text);

// Of "NAME[:PORT]", as in a Host header: the name in small letters, an IPv6 address without brackets; "" if it is none.
std::string host_of(std::string_view header);

// Is that localhost or an address of loopback, this machine's name, one of `names` (in small letters), or the address
// at which the client has reached us through `socket`?
bool is_own_host(const std::string& host, int socket, const std::vector<std::string>& names);

// A TCP socket that listens for clients of the metrics.
class ListeningSocket {
 public:
  // Throws Error, in one line for users: the port is in use, the address is none of this machine.
  explicit ListeningSocket(const MetricsAddress& address);

  int fd() const { return socket_.get(); }
  std::uint16_t port() const;  // that it got
  // Somebody else closes it.
  int release() { return socket_.release(); }

 private:
  Descriptor socket_;
};

}  // namespace warpmeter::inline base
