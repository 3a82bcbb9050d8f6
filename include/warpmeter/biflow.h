// One line of an output: a Flow Record and, of a biflow (RFC 5103), the other direction's, whose key is the reversed
// one.
#pragma once

#include "warpmeter/flow_record.h"

namespace warpmeter {

struct Biflow {
  FlowRecord forward;
  FlowRecord reverse;
  bool has_reverse = false;
  bool of_biflows = false;   // the file has both directions in a line, so that one alone was not answered
  std::uint64_t number = 0;  // of the flow in what was read, from 1
};

}  // namespace warpmeter
