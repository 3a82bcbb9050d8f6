// Does a SYN belong to another incarnation of a connection's 5-tuple than the one that is known?
#pragma once

#include "core/segment.h"
#include "stream/reassembly/tcb.h"

namespace warpmeter::inline stream {

// `s`: a SYN without RST, of this side. One of several SYN+ACKs that answer the same SYN makes its direction ambiguous,
// which forgets where it began. Source: docs/streams.md.
bool is_tuple_reuse(Tcb& connection, StreamSide side, const PayloadSegment& s);

// An RST with this number, of this direction: does the incarnation end by it? A number from before its first byte, or
// beyond its last, may answer an old, half-open connection.
bool resets(const Stream& stream, std::uint32_t sequence);

}  // namespace warpmeter::inline stream
