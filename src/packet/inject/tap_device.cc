#include "packet/inject/tap_device.h"

#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <functional>
#include <thread>

#include "base/words/printable.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {
namespace {

std::string path_of(const std::string& name) {
  return name.find('/') == std::string::npos ? "/run/netns/" + name : name;
}

void enter(const std::string& name) {
  const Descriptor there(open(path_of(name).c_str(), O_RDONLY | O_CLOEXEC));
  if (there && setns(there.get(), CLONE_NEWNET) == 0) return;
  const int error = errno;
  const std::string hint = error == EPERM ? "; it takes the capability CAP_SYS_ADMIN" : "";
  throw Error("network namespace " + printable(name) + ": " + std::strerror(error) + hint);
}

// In that namespace: the thread that calls stays in its own, another one goes there, and ends. Throws Error, and what
// `work` throws.
void in_network_namespace(const std::string& name, const std::function<void()>& work) {
  if (name.empty()) return work();
  std::exception_ptr failure;
  std::jthread([&] {
    try {
      enter(name);
      work();
    } catch (...) {
      failure = std::current_exception();
    }
  }).join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

NamedNamespace::NamedNamespace(const std::string& name) : path_(name.empty() ? "" : path_of(name)) {
  struct stat now {};
  if (!path_.empty() && stat(path_.c_str(), &now) != 0) path_.clear();
  device_ = now.st_dev;
  inode_ = now.st_ino;
}

bool NamedNamespace::is_gone() const {
  if (path_.empty()) return false;
  struct stat now {};
  if (stat(path_.c_str(), &now) != 0) return errno == ENOENT;
  return now.st_dev != device_ || now.st_ino != inode_;
}

TapDevice::TapDevice(const std::string& name, const std::string& space, std::uint32_t mtu)
    : name_(space.empty() ? name : name + "@" + space), space_(space) {
  in_network_namespace(space, [&] {
    open(name);
    set_up(name, mtu);
  });
}

void TapDevice::fail(const std::string& what) const {
  throw Error(printable(name_) + ": " + what + ": " + std::strerror(errno));
}

// A device of the namespace in which it is opened.
void TapDevice::open(const std::string& device) {
  if (device.empty() || device.size() >= IFNAMSIZ) throw Error(printable(name_) + ": no name of an interface");
  made_ = if_nametoindex(device.c_str()) == 0;
  fd_.reset(::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (!fd_) fail("no TAP devices, /dev/net/tun");
  ifreq request{};
  request.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR;
  device.copy(request.ifr_name, sizeof request.ifr_name - 1);
  if (ioctl(fd_.get(), TUNSETIFF, &request) != 0) {
    if (errno == EPERM) fail("a TAP device takes the capability CAP_NET_ADMIN");
    if (errno == EBUSY) fail("another program has this TAP device");
    fail(made_ ? "no TAP device can be made" : "it is no TAP device that this program could use");
  }
  // Frames as a wire has them come out of it: they are sent on one.
  int header = sizeof(VnetHeader);
  if (ioctl(fd_.get(), TUNSETVNETHDRSZ, &header) != 0) fail("TUNSETVNETHDRSZ");
  if (ioctl(fd_.get(), TUNSETOFFLOAD, 0) != 0) fail("TUNSETOFFLOAD");
}

void TapDevice::set_up(const std::string& device, std::uint32_t mtu) {
  const Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  device.copy(request.ifr_name, sizeof request.ifr_name - 1);
  request.ifr_mtu = static_cast<int>(mtu);
  if (made_ && ioctl(socket.get(), SIOCSIFMTU, &request) != 0) fail("an MTU of " + std::to_string(mtu));
  if (ioctl(socket.get(), SIOCGIFMTU, &request) != 0) fail("it does not tell its MTU");
  mtu_ = static_cast<std::uint32_t>(request.ifr_mtu);
  if (ioctl(socket.get(), SIOCGIFFLAGS, &request) != 0) fail("it does not tell whether it is up");
  request.ifr_flags |= IFF_UP;
  if (ioctl(socket.get(), SIOCSIFFLAGS, &request) != 0) fail("cannot be brought up");
}

std::size_t TapDevice::read(VnetHeader& header, std::span<std::uint8_t> frame) {
  iovec parts[] = {{&header, sizeof header}, {frame.data(), frame.size()}};
  for (;;) {
    const ssize_t got = readv(fd_.get(), parts, 2);
    if (got > static_cast<ssize_t>(sizeof header)) return static_cast<std::size_t>(got) - sizeof header;
    if (got >= 0 || errno == EAGAIN) return 0;
    if (errno == EINTR) continue;
    if (errno == EBADFD || errno == EFAULT) throw Error(printable(name_) + " is gone");
    return 0;  // it is down
  }
}

}  // namespace warpmeter::inline packet
