#include "command/live/detector_link.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/files/opened_way.h"
#include "base/files/path_owners.h"
#include "base/words/printable.h"
#include "record/collector/socket.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {
namespace {

constexpr std::size_t kLongestPath = sizeof(sockaddr_un::sun_path) - 1;

// What is so only until somebody comes.
bool may_pass(int error) {
  return error == ENOENT || error == ECONNREFUSED || error == EAGAIN || error == EINTR || error == ECONNRESET;
}

}  // namespace

DetectorLink::DetectorLink(std::string path) : path_(std::move(path)), name_("unix:" + path_) {
  if (path_.empty()) throw Error("--streams unix: is followed by the path of a socket", ExitStatus::usage);
  if (path_.size() > kLongestPath) {
    throw Error("--streams " + name_ + ": too long: the path of a socket has at most " + std::to_string(kLongestPath) +
                    " bytes",
                ExitStatus::usage);
  }
}

bool DetectorLink::fail(int error) {
  socket_.reset();
  hopeless_ = !may_pass(error);
  why_ = error == EPROTOTYPE ? "a socket of another kind: a stream socket (SOCK_STREAM) is needed"
         : hopeless_         ? error_text(error)
                             : "nobody listens there";
  return false;
}

bool DetectorLink::refuse(const std::string& why) {
  socket_.reset();
  hopeless_ = true;
  why_ = why;
  return false;
}

// Where others may make a socket, or a folder on the way to it, somebody else may have been first. A detector may own
// its folder: whoever made that gave it to the detector.
bool DetectorLink::is_trusted(const OpenedWay& way) {
  const auto peer = path_owners::peer_of(socket_.get());
  if (!peer) return fail(errno);
  if (path_owners::is_trusted(peer->uid)) {
    const auto link = link_of_others(way);
    return !link ||  // that leads to what is none of its owner's
           refuse("reached through " + printable(*link) + ", another user's link");
  }
  const auto folder = folder_of_others(way, path_, peer->uid);
  return !folder || refuse("somebody else's socket: others may write in " + printable(*folder) + ", or own it");
}

bool DetectorLink::is_socket(const OpenedWay& way) {
  if (way.error()) return fail(way.error());
  return S_ISSOCK(way.status().st_mode) || refuse("no socket, but a file or folder that is there already");
}

void DetectorLink::check_place() {
  if (!is_socket(OpenedWay(path_)) && hopeless_) throw Error("--streams " + name_ + ": " + why_);
}

bool DetectorLink::connect() {
  const OpenedWay way(path_);
  if (!is_socket(way)) return false;
  socket_ = Descriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket_) return fail(errno);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // The socket that was judged, and not what has its path by now.
  const std::string judged = "/proc/self/fd/" + std::to_string(way.fd());
  if (access("/proc/self/fd", F_OK) != 0)
    return refuse("/proc is needed, to connect with the socket that was looked at");
  std::memcpy(address.sun_path, judged.data(), judged.size());
  if (::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return fail(errno);
  if (!is_trusted(way)) return false;
  may_send_ = true;
  hopeless_ = false;
  why_.clear();
  return true;
}

std::size_t DetectorLink::send(std::span<const iovec> parts) {
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(parts.data());
  message.msg_iovlen = parts.size();
  const ssize_t sent = sendmsg(socket_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent >= 0) return static_cast<std::size_t>(sent);
  if (errno != EAGAIN && errno != EINTR && errno != ENOBUFS) close();
  return 0;
}

// Once: whoever sends all the time holds nobody up. One that has only closed its own direction still reads.
void DetectorLink::look() {
  pollfd state{.fd = socket_.get(), .events = POLLOUT, .revents = 0};
  if (poll(&state, 1, 0) > 0 && (state.revents & (POLLHUP | POLLERR))) return close();
  if (!may_send_) return;
  std::array<char, 16384> thrown_away;
  const ssize_t count = recv(socket_.get(), thrown_away.data(), thrown_away.size(), MSG_DONTWAIT);
  if (count == 0) may_send_ = false;
}

}  // namespace warpmeter::inline command
