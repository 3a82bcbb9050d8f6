// The Metering Process: packets in, flows out. It knows when flows start and end; what a TCP segment means it asks
// Incarnation.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "duplicates.h"
#include "five_tuples.h"
#include "flow.h"
#include "packet.h"
#include "reference_options.h"

namespace reference {

class Meter {
 public:
  explicit Meter(const Options& options) : options_(options), duplicates_(options_), five_tuples_(options_) {}
  Meter(const Meter&) = delete;  // members refer to options_
  Meter& operator=(const Meter&) = delete;

  // In trace order. number: 1, 2, ... over all frames, metered or not. Returns the serial of its flow.
  int64_t take(const Packet& packet, int64_t number, int64_t time);

  // All flows, in output order. The meter is empty afterwards.
  std::vector<Flow> finish();

 private:
  struct Open {
    Flow flow;
    Incarnation tcp;
    bool first_fin_here = false;  // the connection's values belong to the part that has its first FIN
  };

  // Why the open flow ends before this packet, if it does.
  std::optional<EndReason> cut(const Open& open, const Packet& packet, int64_t time, bool duplicate) const;
  Open& flow_of(const Packet& packet, int64_t number, int64_t time, bool duplicate);
  void close(Open& open, EndReason reason);
  void count_segment(Open& open, const TcpSegment& segment, int64_t number, int64_t time);
  void count_again(Flow& flow, const TcpSegment& segment, const Verdict& verdict, int64_t number, int64_t time);

  const Options options_;
  Duplicates duplicates_;
  FiveTuples five_tuples_;
  std::map<FlowKey, Open> open_;
  std::vector<Flow> closed_;
  int64_t latest_time_ = 0;
  int64_t begun_ = 0;
};

}  // namespace reference
