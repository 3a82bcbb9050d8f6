// What a feeder says to its meter, right or wrong: the client of feeder_writer.h says nothing wrong.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "warpmeter/feeder_ring.h"

namespace warpmeter::test {

// A connection to the meter that waits for feeders of this name; -1: there is none, or too many wait for it.
inline int connect_to_meter(const std::string& feeder) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = WMF_ADDRESS + feeder;
  std::memcpy(address.sun_path + 1, path.data(), path.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + path.size());
  const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), size) == 0) return fd;
  close(fd);
  return -1;
}

// Says something and hands over descriptors. False: the meter takes nothing any more.
inline bool say_to_meter(int fd, const void* bytes, std::size_t count, std::span<const int> descriptors) {
  iovec part{const_cast<void*>(bytes), count};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  std::vector<char> control(CMSG_SPACE(descriptors.size_bytes()));
  if (!descriptors.empty()) {
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size_bytes());
  }
  return sendmsg(fd, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(count);
}

}  // namespace warpmeter::test
