// The addresses of a collector, and what is asked of a socket.
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <string>
#include <vector>

#include "record/collector/collector_options.h"

namespace warpmeter::inline record {

struct SocketAddress {
  sockaddr_storage storage = {};
  socklen_t size = 0;
  int family() const { return storage.ss_family; }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

// At least one, best first. Throws Error, naming the collector, where there is none.
std::vector<SocketAddress> resolve(const CollectorAddress& collector);

// The errno that is pending on the socket, which this clears; 0 = none.
int pending_error(int socket);

// Waits until poll(2) reports one of `events`, an error or a hang-up; false if `patience` passed.
bool wait_for(int fd, short events, std::chrono::milliseconds patience);

// What errno means, from any thread.
std::string error_text(int number);

}  // namespace warpmeter::inline record
