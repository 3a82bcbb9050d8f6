// A TAP device: a network interface of this machine, or of a network namespace of it, whose cable is this program. What
// is written to it comes in there, in frames that may be large packets of TCP; what is sent there is read here, in
// frames as a wire has them.
//
// One that is made here is gone when this ends; one that was there before, as `ip tuntap add` makes it, stays.
//
// Source: Documentation/networking/tuntap.rst of Linux; setns(2), ip-netns(8).
//
// Threads: one that reads, one that writes.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/files/descriptor.h"
#include "packet/nic/ring/packet_header.h"

namespace warpmeter::inline packet {

// A network namespace by its name, which ip-netns(8) has given it: who keeps something of it, as a device, keeps it
// alive when nobody else can get there any more.
class NamedNamespace {
 public:
  explicit NamedNamespace(const std::string& name);
  // The name has another namespace by now, or none. Where that cannot be told: no.
  bool is_gone() const;

 private:
  std::string path_;  // empty: the one where we are
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

class TapDevice {
 public:
  // `space`: the name of a network namespace, or a path with a slash in it, as /proc/PID/ns/net; empty: the one where
  // we are. `mtu`: of a device that is made, bytes. Brings it up. Throws Error.
  TapDevice(const std::string& name, const std::string& space, std::uint32_t mtu);

  // For poll(2), and for a FrameWriter.
  int fd() const { return fd_.get(); }
  // "tap0", "tap0@host".
  const std::string& name() const { return name_; }
  bool is_made_here() const { return made_; }
  std::uint32_t mtu() const { return mtu_; }  // when it was opened
  // Its namespace has lost its name: it was deleted, and nobody gets there any more.
  bool is_out_of_reach() const { return space_.is_gone(); }

  // The next frame that is there: how many bytes of `frame` it has; 0: there is none. Throws Error: it is gone.
  std::size_t read(VnetHeader& header, std::span<std::uint8_t> frame);

 private:
  void open(const std::string& device);
  void set_up(const std::string& device, std::uint32_t mtu);
  [[noreturn]] void fail(const std::string& what) const;

  const std::string name_;
  const NamedNamespace space_;
  Descriptor fd_;
  bool made_ = true;
  std::uint32_t mtu_ = 0;
};

}  // namespace warpmeter::inline packet
