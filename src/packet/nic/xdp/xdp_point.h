// A network interface captured from by AF_XDP: a ring for each of its RX queues.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "packet/nic/cpus/affinity.h"
#include "packet/nic/ring/observation_points.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {

struct XdpOptions {
  unsigned rings = 0;            // 0: one for each RX queue; fewer: frames of the other queues are counted, no more
  std::size_t bytes = 64 << 20;  // of each ring, for frames; rounded down to a power of 2
  bool promiscuous = true;
  unsigned keep = 0;                        // bytes of a frame; 0: all
  bool tags = true;                         // VLAN tags that the driver keeps beside frames are put back, where it can
  std::chrono::milliseconds most_pause{1};  // between two looks at a ring, where few frames come
  CpuList cpus = {};  // ring i is made on the one at i modulo their number, so its memory is near; none: any
};

// An interface cannot be captured from this way, but perhaps another.
class NoXdp : public Error {
 public:
  enum class Because { missing, taken };  // something is missing; or another program has the packets already

  // `reason`: in a few words, "its driver has no XDP".
  NoXdp(const std::string& interface, const std::string& reason, const std::string& remedy,
        Because because = Because::missing);
  const std::string& reason() const { return reason_; }
  Because because() const { return because_; }

 private:
  std::string reason_;
  Because because_;
};

// From now on what comes to the interface is captured, and does not come to this host. Throws NoXdp, which says what is
// missing and what helps, and other Errors: there is no such interface.
std::unique_ptr<ObservationPoint> open_xdp_point(const std::string& interface, const XdpOptions& options);

}  // namespace warpmeter::inline packet
