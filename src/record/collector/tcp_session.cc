#include "record/collector/tcp_session.h"

#include <linux/sockios.h>
#include <linux/tcp.h>  // of the kernel: its tcp_info has the window
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <utility>

namespace warpmeter::inline record {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
constexpr milliseconds kConnectPatience(5000), kConnectLook(100);
constexpr int kProbeIdleSeconds = 30, kProbeEverySeconds = 10, kProbes = 3, kMostProbes = 127;

// The offers that one happens to see may all be small, of a large buffer that is full whenever one looks. But a host
// chooses the scale of the window for the largest buffer that it will ever have, which is at most twice as large as the
// window can be (headers count as well). Without a scale nobody knows.
constexpr std::uint64_t kUnreadPerWindow = 2, kLargestUnscaled = 65'535, kLeastUnread = 256 << 10,
                        kUnreadOfUnknown = 16 << 20;

std::uint64_t most_unread_at_peer_of(int socket) {
  tcp_info info = {};
  socklen_t size = sizeof info;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 || !(info.tcpi_options & TCPI_OPT_WSCALE))
    return kUnreadOfUnknown;
  return std::max(kUnreadPerWindow * (kLargestUnscaled << info.tcpi_snd_wscale), kLeastUnread);
}

void set_option(int socket, int level, int option, int value) {
  setsockopt(socket, level, option, &value, sizeof value);
}

void probe_peer(int socket, int idle_seconds, int every_seconds, int probes) {
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, idle_seconds);
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, every_seconds);
  set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, probes);
}

// 0, or the errno of why not.
int finish_connecting(int socket, const std::function<bool()>& give_up) {
  const Clock::time_point deadline = Clock::now() + kConnectPatience;
  do {
    if (wait_for(socket, POLLOUT, kConnectLook)) return pending_error(socket);
  } while (Clock::now() < deadline && !(give_up && give_up()));
  return ETIMEDOUT;
}

}  // namespace

Descriptor connect_tcp(const std::vector<SocketAddress>& addresses, const std::function<bool()>& give_up,
                       std::string& reason) {
  for (const SocketAddress& address : addresses) {
    Descriptor connection(socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    int error = 0;
    if (!connection || connect(connection.get(), address.get(), address.size) != 0) error = errno;
    if (error == EINPROGRESS) error = finish_connecting(connection.get(), give_up);
    if (error == 0) return connection;
    reason = error_text(error);
    if (give_up && give_up()) break;
  }
  return Descriptor();
}

TcpSession::TcpSession(Descriptor socket, const std::vector<IpfixMessage>& templates, milliseconds patience,
                       ExportCounters& counters)
    : socket_(std::move(socket)), patience_(patience), most_unread_(most_unread_at_peer_of(fd())), counters_(counters) {
  set_option(fd(), IPPROTO_TCP, TCP_NODELAY, 1);
  probe_peer(fd(), kProbeIdleSeconds, kProbeEverySeconds, kProbes);
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
  if (written_ == acknowledged_) unacknowledged_since_ = Clock::now();
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
  peer_closed_ |= got == 0;
  return got >= 0 || errno == EAGAIN || errno == EINTR || broken(errno);
}

bool TcpSession::look() {
  int unacknowledged = 0;  // written bytes that are not acknowledged, also after a break
  if (ioctl(fd(), SIOCOUTQ, &unacknowledged) == 0)
    forget_acknowledged(written_ - std::min<std::uint64_t>(written_, unacknowledged));
  tcp_info info = {};
  socklen_t size = sizeof info;
  if (getsockopt(fd(), IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return true;
  if (size >= offsetof(tcp_info, tcpi_snd_wnd) + sizeof info.tcpi_snd_wnd) window_ = info.tcpi_snd_wnd;
  if (!why_.empty()) return false;
  // A host that has no room answers probes, with longer and longer pauses, and nothing is in flight then: that is not
  // for the kernel's own time limit to judge, which would only lead to a new connection.
  if (info.tcpi_unacked == 0) unacknowledged_since_ = Clock::now();
  const Clock::time_point heard = std::max(Clock::now() - milliseconds(info.tcpi_last_ack_recv), unacknowledged_since_);
  return info.tcpi_unacked == 0 || Clock::now() < heard + patience_ || broken(ETIMEDOUT);
}

void TcpSession::forget_acknowledged(std::uint64_t until) {
  if (until <= acknowledged_) return;
  acknowledged_ = until;
  for (; !kept_.empty() && kept_.front().end <= acknowledged_; kept_.pop_front()) {
    past_.push_back({kept_.front().end, kept_.front().message.flow_records()});
    if (kept_.front().is_template) past_.back().records = 0;
  }
  while (!past_.empty() && past_.front().end + most_unread_ <= acknowledged_) past_.pop_front();
}

std::uint64_t TcpSession::doubtful_records() const {
  std::uint64_t records = 0;
  if (!peer_closed_)
    for (const Past& past : past_) records += past.records;
  return records;
}

std::deque<IpfixMessage> TcpSession::unacknowledged() {
  look();
  std::deque<IpfixMessage> messages;
  for (Kept& kept : kept_) {
    if (!kept.is_template) messages.push_back(std::move(kept.message));
  }
  kept_.clear();
  return messages;
}

// From then on only answers to probes tell of the window.
void TcpSession::end_stream() {
  if (!discard_input()) return;
  shutdown(fd(), SHUT_WR);
  probe_peer(fd(), 1, 1, kMostProbes);
}

// What it has not read when it closes its side, its host answers with a reset; one that has read all and is gone resets
// what comes later.
TcpSession::PeerEnd TcpSession::end_of_peer() {
  const bool fine = why_.empty() && discard_input() && look();
  if (peer_closed_) return PeerEnd::closed;
  return fine ? PeerEnd::open : PeerEnd::broken;
}

bool TcpSession::broken(int error) {
  why_ = error_text(error);
  return false;
}

}  // namespace warpmeter::inline record
