#include "packet/inject/frame_writer.h"

#include <poll.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <thread>

#include "base/words/printable.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {
namespace {

using Clock = std::chrono::steady_clock;

// A queue behind the socket's own tells nobody when it has room.
constexpr std::chrono::microseconds kPause{200};

void add(std::atomic<std::uint64_t>& count, std::uint64_t more) {
  count.store(count.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
}

// ENOMEM is none of these: a packet socket says it of a frame whose header it cannot make sense of.
bool has_no_room(int error) { return error == EAGAIN || error == ENOBUFS; }
bool is_down(int error) { return error == EIO || error == ENETDOWN || error == ENETUNREACH; }
// EBADFD and EFAULT: a TAP that is no more; the others: an interface.
bool is_gone(int error) { return error == EBADFD || error == EFAULT || error == ENXIO || error == ENODEV; }

}  // namespace

void FrameWriter::write(const VnetHeader& header, const std::uint8_t* frame, std::size_t bytes) {
  std::array<iovec, 2> pieces{iovec{}, iovec{const_cast<std::uint8_t*>(frame), bytes}};
  write(header, pieces);
}

void FrameWriter::write(const VnetHeader& header, std::span<iovec> pieces) {
  pieces.front() = {const_cast<VnetHeader*>(&header), sizeof header};
  const auto deadline = Clock::now() + std::chrono::milliseconds(kPatienceMs);
  for (;;) {
    const ssize_t written = writev(fd_, pieces.data(), static_cast<int>(pieces.size()));
    if (written >= 0) {
      has_patience_ = true;
      add(frames_, 1);
      add(bytes_, static_cast<std::uint64_t>(written) - sizeof header);
      return;
    }
    const int error = errno;
    if (error == EINTR) continue;
    if (!has_no_room(error)) return count_failure(error);
    if (!has_patience_ || Clock::now() >= deadline) break;
    pollfd room{.fd = fd_, .events = POLLOUT, .revents = 0};
    poll(&room, 1, kPatienceMs / 10);
    if (error != EAGAIN) std::this_thread::sleep_for(kPause);
  }
  has_patience_ = false;
  add(full_, 1);
}

void FrameWriter::count_failure(int error) {
  if (is_gone(error)) throw Error(printable(name_) + " is gone");
  add(is_down(error) ? down_ : refused_, 1);
}

void FrameWriter::refuse() { add(refused_, 1); }

WriteCounts FrameWriter::counts() const {
  const auto now = [](const std::atomic<std::uint64_t>& count) { return count.load(std::memory_order_relaxed); };
  return {now(frames_), now(bytes_), now(full_), now(down_), now(refused_)};
}

}  // namespace warpmeter::inline packet
