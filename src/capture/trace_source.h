// A source of files that are read to their end: captures (Trace), or segments that captures were decoded to.
#pragma once

#include "capture/packet_source.h"
#include "capture/trace_findings.h"

namespace warpmeter {

class TraceSource : public PacketSource {
 public:
  // Valid after the end.
  virtual TraceFindings findings() const = 0;
  virtual bool nothing_readable() const { return false; }  // of all that was given
};

}  // namespace warpmeter
