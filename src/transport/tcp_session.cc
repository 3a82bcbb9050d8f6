#include "transport/tcp_session.h"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace warpmeter {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kConnectPatience(5000), kLook(100), kClosePatience(500);
constexpr int kProbeIdleSeconds = 30, kProbeEverySeconds = 10, kProbes = 3;

void set_option(int socket, int level, int option, int value) {
  setsockopt(socket, level, option, &value, sizeof value);
}

void watch_peer(int socket, std::chrono::milliseconds timeout) {
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, kProbeIdleSeconds);
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, kProbeEverySeconds);
  set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, kProbes);
  set_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT,
             static_cast<int>(std::clamp<std::int64_t>(timeout.count() / 2, 1, INT32_MAX)));
}

// 0, or the errno of why not.
int finish_connecting(int socket, const std::function<bool()>& give_up) {
  const Clock::time_point deadline = Clock::now() + kConnectPatience;
  do {
    if (wait_for(socket, POLLOUT, kLook)) return pending_error(socket);
  } while (Clock::now() < deadline && !(give_up && give_up()));
  return ETIMEDOUT;
}

}  // namespace

Descriptor connect_tcp(const std::vector<SocketAddress>& addresses, std::chrono::milliseconds timeout,
                       const std::function<bool()>& give_up, std::string& reason) {
  for (const SocketAddress& address : addresses) {
    Descriptor connection(socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    int error = 0;
    if (!connection || connect(connection.get(), address.get(), address.size) != 0) error = errno;
    if (error == EINPROGRESS) error = finish_connecting(connection.get(), give_up);
    if (error == 0) {
      watch_peer(connection.get(), timeout);
      return connection;
    }
    reason = error_text(error);
    if (give_up && give_up()) break;
  }
  return Descriptor();
}

TcpSession::TcpSession(Descriptor socket, const std::vector<IpfixMessage>& templates, ExportCounters& counters)
    : socket_(std::move(socket)), counters_(counters) {
  for (const IpfixMessage& message : templates) take(message, true);
  templates_ = taken_;
}

void TcpSession::take(IpfixMessage message, bool is_template) {
  numbers_.stamp(message);
  taken_ += message.bytes.size();
  kept_.push_back({std::move(message), taken_, is_template});
}

bool TcpSession::write() {
  if (!discard_input()) return false;
  auto next = kept_.end();
  while (next != kept_.begin() && std::prev(next)->end > written_) --next;
  for (; next != kept_.end(); ++next) {
    if (!write_rest(*next)) return why_.empty();
    ++counters_.messages;
    counters_.bytes += next->message.bytes.size();
    if (next->is_template) ++counters_.template_messages;
  }
  return true;
}

// False if there was no room for all, or the connection broke.
bool TcpSession::write_rest(const Kept& kept) {
  while (written_ < kept.end) {
    const std::size_t left = kept.end - written_;
    const std::uint8_t* from = kept.message.bytes.data() + kept.message.bytes.size() - left;
    const ssize_t put = send(fd(), from, left, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (put >= 0) written_ += static_cast<std::uint64_t>(put);
    else if (errno == EAGAIN) return false;
    else if (errno != EINTR) return broken(errno);
  }
  return true;
}

// Collectors have nothing to say; closing a socket with input in it would look like a break to them. False if there was
// a break already, which reading tells first.
bool TcpSession::discard_input() {
  char nowhere[4096];
  ssize_t got = 1;
  for (int i = 0; i < 16 && got > 0; ++i) got = recv(fd(), nowhere, sizeof nowhere, MSG_DONTWAIT);
  return got >= 0 || errno == EAGAIN || errno == EINTR || broken(errno);
}

bool TcpSession::forget_acknowledged() {
  int under_way = 0;  // written bytes that are not acknowledged, also after a break
  if (ioctl(fd(), SIOCOUTQ, &under_way) != 0) return false;
  const std::uint64_t until = written_ - std::min(written_, static_cast<std::uint64_t>(under_way));
  if (until <= acknowledged_) return false;
  acknowledged_ = until;
  while (!kept_.empty() && kept_.front().end <= acknowledged_) kept_.pop_front();
  return acknowledged_ > templates_;
}

std::deque<IpfixMessage> TcpSession::unacknowledged() {
  forget_acknowledged();
  std::deque<IpfixMessage> messages;
  for (Kept& kept : kept_) {
    if (!kept.is_template) messages.push_back(std::move(kept.message));
  }
  kept_.clear();
  return messages;
}

void TcpSession::finish() {
  discard_input();
  shutdown(fd(), SHUT_WR);
  wait_for(fd(), POLLRDHUP, kClosePatience);
}

bool TcpSession::broken(int error) {
  why_ = error_text(error);
  return false;
}

}  // namespace warpmeter
