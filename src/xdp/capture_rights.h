// Which capabilities a capture by AF_XDP lacks: nobody should have to guess which of three it was. And how it gets rid
// of them once it has its sockets.
//
// Source: capabilities(7).
#pragma once

#include <string>

namespace warpmeter {

// Of this thread: "CAP_NET_ADMIN and CAP_BPF"; "" if it has all.
std::string missing_rights_for_xdp();

// What opening took and nothing that follows does: CAP_NET_RAW, CAP_NET_ADMIN, CAP_BPF and CAP_PERFMON are this
// thread's no more, nor of those that it starts from now on. Where that is refused they stay.
void drop_capture_rights();

}  // namespace warpmeter
