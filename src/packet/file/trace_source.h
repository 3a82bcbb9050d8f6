// A source of files that are read to their end: captures (Trace), or segments that captures were decoded to.
#pragma once

#include "packet/file/packet_source.h"
#include "packet/file/trace_findings.h"

namespace warpmeter::inline packet {

class TraceSource : public PacketSource {
 public:
  // Valid after the end.
  virtual TraceFindings findings() const = 0;
  virtual bool nothing_readable() const { return false; }  // of all that was given
};

}  // namespace warpmeter::inline packet
