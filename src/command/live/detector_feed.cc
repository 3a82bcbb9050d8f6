#include "command/live/detector_feed.h"

#include <poll.h>

#include <utility>

#include "base/program/messages.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLookAgain{100};        // whether it is still there, and whether this is the end
constexpr milliseconds kTryEvery{250};         // to connect, also to one that hangs up at once
constexpr std::chrono::seconds kSayEvery{10};  // that it came or went, where it does so all the time

}  // namespace

DetectorFeed::DetectorFeed(const std::string& path, DetectorQueue& queue, const std::atomic<bool>& gives_up)
    : link_(path), queue_(queue), gives_up_(gives_up) {
  if (link_.connect()) {
    queue_.begin_session();
  } else if (link_.is_hopeless()) {
    throw Error("--streams " + link_.name() + ": " + link_.why());
  } else {
    is_ = told_ = link_.why();
    warn(link_.name() + ": " + told_ + " yet: streams go to whoever comes, from then on");
  }
  try_next_ = Clock::now() + kTryEvery;
  thread_ = std::thread([this] { run(); });
}

DetectorFeed::~DetectorFeed() {
  stop_ = true;
  queue_.wake();
  if (thread_.joinable()) thread_.join();
}

void DetectorFeed::begin_end(std::function<std::uint64_t()> end) {
  end_ = std::move(end);
  ends_ = true;
  queue_.wake();
}

void DetectorFeed::finish() {
  thread_.join();
  if (failure_) std::rethrow_exception(failure_);
}

void DetectorFeed::run() {
  try {
    while (!stop_ && !ends_) {
      if (link_.is_up()) pass_on();
      else look_for_detector();
      say_what_is();
    }
    if (ends_) end();
  } catch (...) {
    failure_ = std::current_exception();
  }
  if (link_.is_up() && gives_up_ && !queue_.is_empty()) {
    warn(link_.name() + ": --drain-timeout is over, and the detector has not read all: it is given up");
  }
  if (link_.is_up()) queue_.end_session();
  link_.close();
}

void DetectorFeed::tell(std::string what) {
  is_ = std::move(what);
  say_what_is();
}

// One line for each reason, and not too many; what there was no line for yet is said later, if it is still so.
void DetectorFeed::say_what_is() {
  if (is_ == told_) return;
  const auto now = Clock::now();
  if (told_last_ != Clock::time_point() && now - told_last_ < kSayEvery) return;
  told_ = is_;
  told_last_ = now;
  warn(link_.name() + ": " + is_);
}

void DetectorFeed::look_for_detector() {
  const auto now = Clock::now();
  if (now < try_next_) return wait(false, std::chrono::ceil<milliseconds>(try_next_ - now));
  try_next_ = now + kTryEvery;
  if (link_.connect()) {
    queue_.begin_session();
    tell("the detector has come");
    return;
  }
  if (link_.is_hopeless()) tell(link_.why());
}

void DetectorFeed::pass_on() {
  const bool left = send_some();
  if (!link_.is_up()) return tell("the detector is gone");
  wait(left, kLookAgain);
}

// What there is, until the detector has no room: true, if it is that.
bool DetectorFeed::send_some() {
  while (!queue_.is_empty()) {
    const std::array<iovec, 2> parts = queue_.front();
    const std::size_t sent = link_.send(parts);
    if (sent > 0) queue_.pop(sent);
    else break;
  }
  if (link_.is_up()) link_.look();
  if (link_.is_up()) return !queue_.is_empty();
  queue_.end_session();
  return false;
}

// Until there is room, or something to send; or the detector goes, or it is the end.
void DetectorFeed::wait(bool for_room, milliseconds longest) {
  if (!for_room) queue_.begin_wait();  // else nothing that comes is waited for
  const bool over = stop_ || ends_ || (link_.is_up() && !for_room && !queue_.is_empty());
  const auto events = static_cast<short>((for_room ? POLLOUT : 0) | (link_.is_up() && link_.may_send() ? POLLIN : 0));
  std::array<pollfd, 2> wanted = {pollfd{.fd = queue_.wake_fd(), .events = POLLIN, .revents = 0},
                                  pollfd{.fd = link_.fd(), .events = events, .revents = 0}};
  if (!over) poll(wanted.data(), wanted.size(), static_cast<int>(longest.count()));
  queue_.end_wait();
}

// At the end, for what finds none.
bool DetectorFeed::make_room() {
  if (!link_.is_up() || queue_.is_empty() || gives_up_ || stop_) return false;
  if (send_some()) {
    pollfd wanted{.fd = link_.fd(), .events = POLLOUT, .revents = 0};
    poll(&wanted, 1, static_cast<int>(kLookAgain.count()));
  }
  return link_.is_up();
}

void DetectorFeed::end() {
  queue_.make_room_by([this] { return make_room(); });
  queue_.put_last(end_());
  while (make_room()) continue;
}

}  // namespace warpmeter::inline command
