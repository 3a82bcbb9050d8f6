// The troubles of TCP, each planted by one function: it appends the whole story to the plan, from the segments that are
// sent in order to those sent again, late or never. `side` sends the data.
#pragma once

#include "generator_options.h"
#include "tcp_pen.h"

namespace traffic_gen {

void plant_retransmission(TcpPen& pen, Side side, const Options& options);
void plant_reordering(TcpPen& pen, Side side);
void plant_loss(TcpPen& pen, Side side);
void plant_keep_alive(TcpPen& pen, Side side);
void plant_zero_window(TcpPen& pen, Side side);

// One of them or none, by the options' shares. -> data segments used, 0 if none was planted
unsigned plant_any(TcpPen& pen, Side side, const Options& options);

}  // namespace traffic_gen
