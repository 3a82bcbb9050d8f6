// The end of what comes to a socket, for rings of all kinds that are filled through one.
//
// Threads: any.
#pragma once

namespace warpmeter::inline packet {

// From now on the socket gets nothing, and nothing is counted. False: errno tells why.
bool refuse_everything(int socket);

}  // namespace warpmeter::inline packet
