// The loop: take the connection whose time has come, write its next frame, plan on. Memory is one Connection and one
// heap entry for each live connection, whatever the number of frames.
#pragma once

#include <cstdint>
#include <vector>

#include "address_book.h"
#include "connection.h"
#include "datagram_script.h"
#include "event_heap.h"
#include "frame_bytes.h"
#include "frame_pace.h"
#include "generator_options.h"
#include "output.h"
#include "seeded_random.h"
#include "tcp_script.h"
#include "truth.h"

namespace traffic_gen {

class Generator {
 public:
  Generator(const Options& options, Output& output, Truth& truth);

  // Writes until the wanted number of frames, or the output's end, or until *stop. -> frames written
  uint64_t run(const volatile int* stop);

 private:
  std::vector<Event> seat_everyone();
  void take_turn(Connection& connection, uint64_t time);
  void send_planned(Connection& connection, uint64_t time);
  void send_copy(Connection& connection, uint64_t time);
  void maybe_copy(Connection& connection, const Planned& frame, const Stamp& stamp, uint64_t time);
  void replan(Connection& connection, uint64_t time);
  void start(Connection& connection);
  void reuse(Connection& connection, const Connection& old);
  void succeed(Connection& connection);
  void count_traits(const Connection& connection);
  void write(const Connection& connection, const Planned& frame, const Stamp& stamp);

  const Options& options_;
  Output& output_;
  Truth& truth_;
  Random random_;
  Pace pace_;
  AddressBook addresses_;
  FrameWriter frames_;
  TcpScript tcp_;
  DatagramScript datagrams_;
  uint64_t started_;      // the next connection
  uint64_t frame_ = 0;    // frames written
  const uint64_t begin_;  // time
  uint64_t now_;          // time of the latest
  std::vector<Connection> connections_;
  EventHeap heap_;
};

}  // namespace traffic_gen
