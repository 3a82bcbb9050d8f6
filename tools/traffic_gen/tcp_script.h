// The life of a TCP connection: how it is met, what is said, how it ends. Whenever the plan of a connection is used up
// it plans the next few frames; a connection it leaves without a plan is over.
#pragma once

#include "frame_pace.h"
#include "generator_options.h"
#include "seeded_random.h"
#include "tcp_pen.h"

namespace traffic_gen {

class TcpScript {
 public:
  TcpScript(const Options& options, Random& random, const Pace& pace)
      : options_(options), random_(random), pace_(pace) {}

  // A connection whose five-tuple is set, and which either is all new or reuses that of a connection just over.
  void begin(Connection& connection);

  // REQUIRES: an empty plan.
  void plan(Connection& connection, uint64_t now);

 private:
  void choose_shape(Connection& connection);
  void choose_numbers(Connection& connection);
  void open(TcpPen& pen);
  void shake_hands(TcpPen& pen);
  void talk(TcpPen& pen);
  void close(TcpPen& pen);
  void say_goodbye(TcpPen& pen);

  const Options& options_;
  Random& random_;
  const Pace& pace_;
};

}  // namespace traffic_gen
