// Does a SYN belong to another incarnation of a connection's 5-tuple than the one that is known?
#pragma once

#include "core/segment.h"
#include "tcp/tcb.h"

namespace warpmeter {

// `s`: a SYN without RST, of this side. One of several SYN+ACKs that answer the same SYN makes its direction ambiguous,
// which forgets where it began. Source: docs/streams.md.
bool is_other_incarnation(Tcb& connection, StreamSide side, const PayloadSegment& s);

}  // namespace warpmeter
