#include "record/collector/socket.h"

#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>

#include "warpmeter/status.h"

namespace warpmeter::inline record {

std::vector<SocketAddress> resolve(const CollectorAddress& collector) {
  addrinfo hints = {};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = collector.transport == TransportProtocol::udp ? SOCK_DGRAM : SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int failed = getaddrinfo(collector.host.c_str(), std::to_string(collector.port).c_str(), &hints, &list);
  if (failed) {
    const std::string why = failed == EAI_SYSTEM ? error_text(errno) : gai_strerror(failed);
    throw Error(fmt::format("{}: host not found: {}", collector.name(), why));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owned(list, freeaddrinfo);
  std::vector<SocketAddress> addresses;
  for (const addrinfo* i = list; i; i = i->ai_next) {
    if (i->ai_addrlen > sizeof(sockaddr_storage)) continue;
    SocketAddress& address = addresses.emplace_back();
    std::memcpy(&address.storage, i->ai_addr, i->ai_addrlen);
    address.size = i->ai_addrlen;
  }
  return addresses;
}

int pending_error(int socket) {
  int error = 0;
  socklen_t size = sizeof error;
  return getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

bool wait_for(int fd, short events, std::chrono::milliseconds patience) {
  pollfd waited = {fd, events, 0};
  return poll(&waited, 1, static_cast<int>(std::max<std::int64_t>(patience.count(), 0))) > 0;
}

std::string error_text(int number) { return std::generic_category().message(number); }

}  // namespace warpmeter::inline record
