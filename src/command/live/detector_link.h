// The way to a detector: the Unix socket that it listens at, where this side connects. So whoever may have the bytes is
// whoever the place belongs to; no file is made or removed here, and a detector may come late, go, and come again.
//
// Nothing here waits. What the detector sends is thrown away.
//
// Source: unix(7).
//
// Threads: one.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "base/files/descriptor.h"

namespace warpmeter::inline base {
class OpenedWay;
}  // namespace warpmeter::inline base

namespace warpmeter::inline command {

class DetectorLink {
 public:
  // Throws Error (usage) where the path is too long for a socket, or empty.
  explicit DetectorLink(std::string path);

  // Without a connection: throws Error where what is there is no socket.
  void check_place();

  const std::string& name() const { return name_; }  // "unix:PATH", for people

  // Whether somebody listens there now. If not, why(); and whether that will be so until somebody changes what is
  // there, such as a file that is no socket, or rights.
  bool connect();
  bool is_hopeless() const { return hopeless_; }
  const std::string& why() const { return why_; }

  bool is_up() const { return static_cast<bool>(socket_); }
  int fd() const { return socket_.get(); }

  // As many of the bytes as there is room for; 0 also where it is gone, which is_up() tells from now on.
  std::size_t send(std::span<const iovec> parts);
  // Looks for what it sent, and whether it is still there.
  void look();
  void close() { socket_.reset(); }
  // Whether poll(2) may still tell of something to be read.
  bool may_send() const { return may_send_; }

 private:
  bool is_socket(const OpenedWay& way);
  bool fail(int error);
  bool refuse(const std::string& why);
  bool is_trusted(const OpenedWay& way);

  const std::string path_, name_;
  Descriptor socket_;
  bool may_send_ = false;
  bool hopeless_ = false;
  std::string why_;
};

}  // namespace warpmeter::inline command
