#include "packet/nic/xdp/xdp_point.h"

#include <fmt/format.h>
#include <linux/if_packet.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "base/files/descriptor.h"
#include "base/words/human_units.h"
#include "base/words/printable.h"
#include "packet/nic/ring/interface_point.h"
#include "packet/nic/ring/network_interface.h"
#include "packet/nic/xdp/capture_program.h"
#include "packet/nic/xdp/capture_rights.h"
#include "packet/nic/xdp/interface_use.h"
#include "packet/nic/xdp/xdp_ring.h"

namespace warpmeter::inline packet {
namespace {

// The packets of a conversation may come to two of them, and should not be far apart.
constexpr std::chrono::milliseconds kMostPauseOfSeveral{10};

const char* const kOtherWay = "--ring packet does without";

// What its users should hear about, besides what is said of any interface.
class XdpPoint : public InterfacePoint {
 public:
  XdpPoint(const NetworkInterface& interface, std::vector<std::unique_ptr<Ring>> rings, std::string way,
           unsigned queues, bool loses_tags, Descriptor promiscuous)
      : InterfacePoint(interface, std::move(rings), std::move(way), true),
        interface_(interface),
        queues_(queues),
        loses_tags_(loses_tags),
        promiscuous_(std::move(promiscuous)) {}

  void look(const Warn& warn) override {
    if (!std::exchange(told_, true)) tell(warn);
    if (!told_of_length_) tell_of_length(warn);
    if (!told_of_use_ && has_ip_address(interface_)) tell_of_use("it has an IP address now", warn);
    InterfacePoint::look(warn);
  }

 private:
  void tell(const Warn& warn) {
    const std::string use = use_by_host(interface_);
    if (!use.empty() && use != kUnknownUse && interface_.is_up) tell_of_use(use, warn);
    if (loses_tags_) tell_of_tags(warn);
    if (rings() >= queues_) return;
    warn(fmt::format("{}: {} of its {} RX queues have no ring: what comes to them is not captured, and counted as lost",
                     printable(interface_.name), queues_ - rings(), queues_));
  }

  void tell_of_tags(const Warn& warn) {
    const std::string driver = driver_of(interface_);
    const std::string command = command_for_tags_inside(interface_.name, driver, name_of_other_end(interface_));
    warn(fmt::format("{}: VLAN tags that {} keeps beside frames are lost to AF_XDP ({}; --ring packet has them)",
                     printable(interface_.name), driver == "veth" ? "the other end" : "its driver",
                     printable(command)));
  }

  // The MTU was raised, or the card does not heed it.
  void tell_of_length(const Warn& warn) {
    for (std::size_t i = 0; i < rings(); ++i) told_of_length_ = told_of_length_ || ring(i).counts().too_long > 0;
    if (!told_of_length_) return;
    warn(
        fmt::format("{}: frames come that are too long for the MTU that it had when the capture began, and are lost; a "
                    "new capture takes them",
                    printable(interface_.name)));
  }

  void tell_of_use(const std::string& use, const Warn& warn) {
    told_of_use_ = true;
    warn(fmt::format("{}: {}; what AF_XDP takes does not reach this host (--ring packet leaves it all)",
                     printable(interface_.name), use));
  }

  const NetworkInterface interface_;
  const unsigned queues_;
  const bool loses_tags_;
  const Descriptor promiscuous_;  // a socket: that it is open makes it so
  bool told_ = false, told_of_use_ = false, told_of_length_ = false;
};

void check_rights(const std::string& name) {
  const std::string missing = missing_rights_for_xdp();
  if (missing.empty()) return;
  throw NoXdp(name, fmt::format("{} {} missing", missing, missing.find(' ') == std::string::npos ? "is" : "are"),
              "run it as root, or allow it once with setcap cap_net_raw,cap_net_admin,cap_bpf+ep on this program");
}

// Null: the kernel has no such program, or its driver tells no tags.
std::shared_ptr<CaptureProgram> load_with_tags(const NetworkInterface& interface, unsigned keep) {
  if (!tells_vlan_tag(interface)) return {};
  try {
    return std::make_shared<CaptureProgram>(keep, interface.index);
  } catch (const std::system_error&) {
    return {};
  }
}

std::shared_ptr<CaptureProgram> load(const NetworkInterface& interface, unsigned keep) {
  try {
    return std::make_shared<CaptureProgram>(keep);
  } catch (const std::system_error& error) {
    throw NoXdp(interface.name, error.what(),
                fmt::format("it needs Linux 6.1, and CAP_BPF on the host itself; {}", kOtherWay));
  }
}

std::string locked_memory_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return "unlimited";
  return human_bytes(static_cast<double>(limit.rlim_cur));
}

std::unique_ptr<XdpRing> open_ring(const NetworkInterface& interface, const XdpRingPlace& place,
                                   const std::shared_ptr<CaptureProgram>& program) {
  const std::string size = human_bytes(static_cast<double>(place.bytes));
  try {
    return std::make_unique<XdpRing>(interface, place, program);
  } catch (const std::bad_alloc&) {
    throw NoXdp(interface.name, "there is no memory for a ring of " + size, "a smaller --ring-size");
  } catch (const std::system_error& error) {
    if (error.code().value() == ENOBUFS) {
      throw NoXdp(interface.name,
                  fmt::format("a ring of {} is more memory than may be locked ({})", size, locked_memory_limit()),
                  "ulimit -l unlimited, LimitMEMLOCK=infinity in a unit, or a smaller --ring-size");
    }
    if (error.code().value() == EBUSY) {
      throw NoXdp(interface.name, fmt::format("its RX queue {} belongs to another program's AF_XDP", place.queue),
                  "end that one; --ring packet gets what it leaves", NoXdp::Because::taken);
    }
    throw NoXdp(interface.name, error.what(), kOtherWay);
  }
}

void attach(const NetworkInterface& interface, std::size_t longest, CaptureProgram& program) {
  try {
    program.attach(interface.index);
  } catch (const std::system_error& error) {
    const int code = error.code().value();
    if (code == EBUSY || code == EEXIST) {
      throw NoXdp(interface.name, "it has another XDP program",
                  fmt::format("ip link set {} xdp off removes it, if no program holds it; {}",
                              printable(interface.name), kOtherWay));
    }
    if (code == EOPNOTSUPP || code == EINVAL || code == ERANGE) {
      throw NoXdp(interface.name,
                  longest > 1522 ? fmt::format("its driver has no XDP, or none for frames of {} bytes", longest)
                                 : std::string("its driver has no XDP"),
                  kOtherWay);
    }
    throw NoXdp(interface.name, error.what(), kOtherWay);
  }
}

// Also what is sent to others. A socket without a protocol gets no packets itself.
Descriptor make_promiscuous(const NetworkInterface& interface) {
  Descriptor holder(socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0));
  packet_mreq all{};
  all.mr_ifindex = interface.index;
  all.mr_type = PACKET_MR_PROMISC;
  if (!holder ||
      (setsockopt(holder.get(), SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof all) != 0 && errno != EOPNOTSUPP)) {
    throw NoXdp(interface.name, fmt::format("promiscuous mode: {}", std::strerror(errno)), "--no-promiscuous");
  }
  return holder;
}

}  // namespace

NoXdp::NoXdp(const std::string& interface, const std::string& reason, const std::string& remedy, Because because)
    : Error(fmt::format("{}: no AF_XDP: {} ({})", printable(interface), reason, remedy)),
      reason_(reason),
      because_(because) {}

// Attached last, when all queues have their sockets: from the first frame on each is received or counted.
std::unique_ptr<ObservationPoint> open_xdp_point(const std::string& name, const XdpOptions& options) {
  const NetworkInterface interface = find_interface(name);
  check_rights(name);
  const unsigned queues = receive_queues(interface);
  const unsigned count = std::min({options.rings ? options.rings : queues, queues, CaptureProgram::kMostQueues});
  XdpRingPlace place{.bytes = options.bytes,
                     .longest_frame = longest_frame(interface),
                     .most_pause = count == 1 ? options.most_pause : std::min(options.most_pause, kMostPauseOfSeveral),
                     .wakes = count == 1};
  auto program = options.tags ? load_with_tags(interface, options.keep) : nullptr;
  const bool loses_tags = !program && has_tags_beside(interface);
  if (!program) program = load(interface, options.keep);
  std::vector<std::unique_ptr<Ring>> rings;
  bool zero_copy = true;
  for (place.queue = 0; place.queue < count; ++place.queue) {
    const PinnedForNow pinned(cpu_of_ring(options.cpus, place.queue));
    auto ring = open_ring(interface, place, program);
    zero_copy = zero_copy && ring->is_zero_copy();
    rings.push_back(std::move(ring));
  }
  Descriptor promiscuous;
  if (options.promiscuous) promiscuous = make_promiscuous(interface);
  attach(interface, place.longest_frame, *program);
  std::string way = fmt::format("AF_XDP, {} {} of {}, {}", count, count == 1 ? "ring" : "rings",
                                human_bytes(static_cast<double>(rings.front()->size())),
                                zero_copy ? "zero copy" : "copied once by the kernel");
  return std::make_unique<XdpPoint>(interface, std::move(rings), std::move(way), queues, loses_tags,
                                    std::move(promiscuous));
}

}  // namespace warpmeter::inline packet
