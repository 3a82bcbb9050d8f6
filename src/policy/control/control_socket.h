// The place where a policy is changed while it is in use: a Unix socket at a path, for this user and root alone, as
// long as this lives.
//
// What a run left there that is gone makes room; a socket where somebody listens stays, and so does whatever is none.
// Runs that begin at once look one after the other, by a lock of the folder, which lasts for that moment. Who holds
// that lock for longer, as anybody may who may read the folder, is not waited for.
//
// Source: unix(7): SO_PEERCRED, and that the mode of a socket before bind() is that of its file.
//
// Threads: one at a time.
#pragma once

#include <sys/stat.h>

#include <string>

#include "base/files/descriptor.h"

namespace warpmeter::inline policy {

class ControlSocket {
 public:
  // Throws Error, of usage: the path is none that can be listened at.
  explicit ControlSocket(std::string path);
  ~ControlSocket();
  ControlSocket(const ControlSocket&) = delete;
  ControlSocket& operator=(const ControlSocket&) = delete;

  int fd() const { return listener_.get(); }  // does not block

 private:
  [[noreturn]] void fail(const std::string& why) const;
  void make_room() const;
  void listen_there();

  const std::string path_, name_;  // its last part
  Descriptor folder_, listener_;
  struct stat own_ {};  // of the file
};

}  // namespace warpmeter::inline policy
