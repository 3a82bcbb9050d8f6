#include "record/collector/tcp_sender.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "base/words/human_units.h"

namespace warpmeter::inline record {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kLeastBackoff(100), kMostBackoff(5000);
constexpr milliseconds kInterruptedPatience(1000), kClosePatience(500), kLeastPatience(1000);
constexpr milliseconds kLook(100), kFirstLook(1), kForever(-1);
constexpr int kBurst = 64;  // messages between two looks at what was acknowledged
constexpr int kMostBreaks = 8;

std::string text_of(milliseconds time) { return human_span(std::chrono::nanoseconds(time).count()); }

}  // namespace

TcpSender::TcpSender(const CollectorOptions& options, std::vector<SocketAddress> addresses, Descriptor connection,
                     std::vector<IpfixMessage> templates, MessageQueue& queue, KnownState& known)
    : options_(options),
      addresses_(std::move(addresses)),
      templates_(std::move(templates)),
      queue_(queue),
      known_(known),
      progress_(options.timeout),
      patience_(options.timeout),
      pause_(kMostBackoff),
      backoff_(kLeastBackoff),
      look_(kFirstLook) {
  start_session(std::move(connection));
}

void TcpSender::run() {
  for (;;) {
    queue_.wake_seen();  // before the queue is looked at, so that no push() or close() is missed
    if (done()) break;
    if (!waiting()) progress_.reset();
    if (session_) transmit();
    else reconnect();
    tell();
  }
  if (session_ && !stop_) confirm();
  else lose_doubtful(doubtful_);
}

bool TcpSender::done() const {
  if (stop_) return true;
  return queue_.closed() && (given_up_ || !waiting());
}

bool TcpSender::waiting() const {
  return !again_.empty() || (session_ && !session_->acknowledged()) || !queue_.empty();
}

void TcpSender::transmit() {
  bool alive = session_->write();
  int burst = 0;
  for (; alive && session_->written() && burst < kBurst; ++burst) {
    std::optional<IpfixMessage> message = next_message();
    if (!message) break;
    session_->take(std::move(*message));
    alive = session_->write();
  }
  alive = session_->look() && alive;
  lasting_ |= session_->acknowledged_bytes() > session_->template_bytes();
  progress_.saw(session_->acknowledged_bytes(), session_->taken_bytes());
  if (session_->surely_read()) {
    patience_ = options_.timeout;
    pause_ = kMostBackoff;
    doubtful_ = 0;
  }
  if (!alive) return lose_session();
  if (out_of_patience()) return give_up_unwilling(why_unwilling());
  if (burst == kBurst) return;
  const bool closed = queue_.closed();  // if that comes later, it wakes
  if (!waiting()) return closed ? void() : wait(kForever);
  if (!session_->written() || !closed) return wait(kLook);
  wait(look_);
  look_ = std::min(2 * look_, kLook);
}

std::optional<IpfixMessage> TcpSender::next_message() {
  if (again_.empty()) {
    std::optional<IpfixMessage> message = queue_.pop();
    if (message && message->templates) keep(templates_, *message);
    return message;
  }
  IpfixMessage message = std::move(again_.front());
  again_.pop_front();
  counters_.repeated_records += message.flow_records();
  return message;
}

void TcpSender::lose_session() {
  reason_ = broken_ = "connection lost: " + session_->why();
  std::deque<IpfixMessage> messages = session_->unacknowledged();
  const bool proven = session_->surely_read() || Clock::now() > session_start_ + options_.timeout;
  breaks_ = proven ? 0 : breaks_ + 1;
  doubtful_ += session_->doubtful_records();
  session_.reset();
  again_.insert(again_.begin(), std::make_move_iterator(messages.begin()), std::make_move_iterator(messages.end()));
  if (lasting_ && breaks_ >= kMostBreaks) return give_up_unwilling(reason_ + ", again and again");
  if (!queue_.closed() && !std::exchange(told_, true)) {  // else the report follows
    warn(fmt::format("{}; records are lost unless it is back within {}", reason_, text_of(patience_)));
  }
  if (lasting_) backoff_ = kLeastBackoff;
  next_attempt_ = Clock::now() + backoff_;
  backoff_ = std::min(2 * backoff_, kMostBackoff);
}

void TcpSender::reconnect() {
  if (out_of_patience()) return give_up();
  const auto pause = std::chrono::ceil<milliseconds>(next_attempt_ - Clock::now());
  if (pause > milliseconds(0)) return wait(std::min(pause, kLook));
  std::string why;
  const auto pointless = [this] { return done() || out_of_patience(); };
  Descriptor connection = connect_tcp(addresses_, pointless, why);
  if (!connection) {
    reason_ = "connection lost, and not to be had again: " + why;
    next_attempt_ = Clock::now() + backoff_;
    backoff_ = std::min(2 * backoff_, kMostBackoff);
    return;
  }
  ++counters_.reconnects;
  start_session(std::move(connection));
  if (std::exchange(given_up_, false)) {
    progress_.reset();
    queue_.accept_again();
  }
  warn(std::exchange(told_, false) ? "connected again" : broken_ + "; connected again");
}

void TcpSender::start_session(Descriptor connection) {
  session_.emplace(std::move(connection), templates_, std::max(options_.timeout / 2, kLook), counters_);
  progress_.aim_beyond(session_->template_bytes());
  session_start_ = Clock::now();
  lasting_ = false;
}

// A collector that has read all closes its side when the stream ends. Before that its host may have taken everything,
// and the collector nothing.
void TcpSender::confirm() {
  const milliseconds patience = session_->doubtful_records() ? patience_ : std::min(patience_, kClosePatience);
  session_->end_stream();
  progress_.reset();
  progress_.aim_beyond(session_->window_end());
  for (TcpSession::PeerEnd end = session_->end_of_peer(); end != TcpSession::PeerEnd::closed && !stop_;
       end = session_->end_of_peer()) {
    progress_.saw(session_->window_end(), UINT64_MAX);
    if (end == TcpSession::PeerEnd::broken) reason_ = "connection lost before the end was read: " + session_->why();
    else if (waited_for(patience)) reason_ = "did not close its side, as one does that has read all";
    else {
      wait_for(session_->fd(), POLLIN | POLLRDHUP, kLook);
      continue;
    }
    return lose_doubtful(session_->doubtful_records() + doubtful_);
  }
}

std::string TcpSender::why_unwilling() const {
  if (interrupted_) return "is not waited for any longer";
  return fmt::format("took less than {} bytes a second for {}", CollectorProgress::kLeastBytesPerSecond,
                     text_of(patience_));
}

// It is there, so it can be connected to again, but that need not help.
void TcpSender::give_up_unwilling(const std::string& why) {
  reason_ = why;
  lose_doubtful(std::exchange(doubtful_, 0));
  give_up();
  next_attempt_ = Clock::now() + pause_;
  pause_ *= 2;
  patience_ = std::min(options_.timeout, std::max(patience_ / 2, kLeastPatience));
}

void TcpSender::give_up() {
  given_up_ = true;
  if (!queue_.closed() && !std::exchange(told_, true)) warn(reason_ + "; records are lost until it answers");
  if (session_) {
    lose(session_->unacknowledged());
    lose_doubtful(session_->doubtful_records());
  }
  session_.reset();
  lose(std::exchange(again_, {}));
  std::deque<IpfixMessage> queued = queue_.refuse();
  for (const IpfixMessage& message : queued) {
    if (message.templates) keep(templates_, message);
  }
  lose(queued);
  backoff_ = std::min(options_.timeout, kMostBackoff);
  next_attempt_ = Clock::now() + backoff_;
}

void TcpSender::lose(const std::deque<IpfixMessage>& messages) {
  for (const IpfixMessage& message : messages) counters_.lost_records += message.flow_records();
}

void TcpSender::lose_doubtful(std::uint64_t records) {
  counters_.lost_records += records;
  counters_.unconfirmed_records += records;
}

bool TcpSender::out_of_patience() { return !given_up_ && waiting() && waited_for(patience_); }

// Whether that long passed without progress; a user who wants to finish waits for a second at most.
bool TcpSender::waited_for(milliseconds patience) {
  if (!interrupted_ && options_.interrupted && options_.interrupted()) interrupted_ = Clock::now();
  if (!interrupted_) return Clock::now() >= progress_.since() + patience;
  return Clock::now() >= std::max(progress_.since(), *interrupted_) + std::min(patience, kInterruptedPatience);
}

// Until the queue or the connection has news, or `patience` has passed.
void TcpSender::wait(milliseconds patience) {
  tell();
  pollfd waited[] = {{queue_.wake_fd(), POLLIN, 0}, {-1, 0, 0}};
  if (session_) {
    waited[1].fd = session_->fd();
    waited[1].events = session_->written() ? 0 : POLLOUT;
  }
  poll(waited, 2, static_cast<int>(patience.count()));
}

void TcpSender::warn(const std::string& what) const {
  if (options_.warn) options_.warn(options_.address.name() + ": " + what);
}

}  // namespace warpmeter::inline record
