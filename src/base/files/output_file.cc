#include "base/files/output_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>

#include "base/files/named_pipe.h"
#include "warpmeter/status.h"

namespace warpmeter::inline base {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLookMs = 50;

constexpr std::uint64_t kReservedAtOnce = 4 << 20;  // more than is needed now, to ask seldom

// What packing may add to what cannot be packed, beside a 128th of it: headers, checksums.
constexpr std::uint64_t kMostOverhead = 4 << 10;

// Of a reader that is not to be waited for any more, how long it may still take nothing: it may read all the same.
constexpr std::chrono::milliseconds kLastPatience{500};

std::uint64_t lines_in(const char* from, std::size_t bytes) {
  return static_cast<std::uint64_t>(std::count(from, from + bytes, '\n'));
}

// Standard output that was closed when the program began is not: something else has its number then, so that no file
// gets it.
bool is_open_to_write(int descriptor) {
  const int flags = fcntl(descriptor, F_GETFL);
  return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

}  // namespace

OutputFile::OutputFile(const std::string& name, const std::atomic<bool>* interrupted, const std::atomic<bool>* gives_up,
                       Readers readers)
    : name_(name == "-" ? "standard output" : name), gives_up_(gives_up), buffer_(new char[kBuffer]) {
  const OutputPlace place = place_of(name, readers);
  try {
    open_at(name, place, interrupted, readers);
  } catch (const std::system_error& error) {
    fail(error.code().value());
  }
}

void OutputFile::open_at(const std::string& name, const OutputPlace& place, const std::atomic<bool>* interrupted,
                         Readers readers) {
  if (place.descriptor) {
    if (!is_open_to_write(*place.descriptor)) fail(EBADF);
    if (gives_up_) own_ = reopen_nonblocking(*place.descriptor);
    if (!own_) own_.reset(fcntl(*place.descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  } else if (place.there && !S_ISREG(place.there->st_mode)) {  // a pipe or a device
    own_ = open_to_write(name, interrupted);
    if (!own_ && errno == EINTR) throw Error(name_ + ": interrupted", ExitStatus::interrupted);
    if (own_ && gives_up_) fcntl(own_.get(), F_SETFL, fcntl(own_.get(), F_GETFL) | O_NONBLOCK);
  } else {
    part_ = std::make_unique<PartFile>(place, PartFile::Name::none_if_possible, readers);
  }
  fd_ = part_ ? part_->descriptor() : own_.get();
  if (fd_ < 0) fail(errno);
  struct stat status {};
  is_regular_ = fstat(fd_, &status) == 0 && S_ISREG(status.st_mode);
}

OutputFile::~OutputFile() = default;

void OutputFile::fail(int error) const {
  const std::string message = name_ + ": cannot be written: " + std::strerror(error);
  if (error == EPIPE) throw PipeClosed(message);
  throw Error(message);
}

void OutputFile::write_all(const char* from, std::size_t bytes) {
  while (bytes > 0 && !given_up_) {
    const ssize_t done = ::write(fd_, from, bytes);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0 && errno == EAGAIN) {  // a pipe that its reader, or a terminal that a program before us, set so
      given_up_ = !wait_for_room();
      continue;
    }
    if (done < 0) fail(errno);
    from += done;
    bytes -= static_cast<std::size_t>(done);
    taken_ += static_cast<std::uint64_t>(done);
  }
  lost_lines_ += lines_in(from, bytes);
}

// False: there is none, and nobody is waited for any more.
bool OutputFile::wait_for_room() const {
  pollfd room{fd_, POLLOUT, 0};
  for (const Clock::time_point begin = Clock::now(); poll(&room, 1, gives_up_ ? kLookMs : -1) <= 0;) {
    if (gives_up_ && *gives_up_ && Clock::now() - begin >= kLastPatience) return false;
  }
  return true;
}

void OutputFile::pack(Packing packing, unsigned threads) {
  packer_ = make_packer(packing, threads, [this](const char* from, std::size_t bytes) { write_all(from, bytes); });
}

void OutputFile::put(const char* from, std::size_t bytes) {
  flushed_ += bytes;
  if (packer_) packer_->write(from, bytes);
  else write_all(from, bytes);
}

void OutputFile::flush() {
  put(buffer_.get(), fill_);
  fill_ = 0;
}

void OutputFile::write(const void* bytes, std::size_t count) {
  if (count == 0) return;  // `bytes` may be null
  const char* from = static_cast<const char*>(bytes);
  if (fill_ + count > kBuffer || count >= kLarge) flush();
  if (count >= kLarge) return put(from, count);
  std::memcpy(buffer_.get() + fill_, from, count);
  fill_ += count;
}

// Few bytes are gathered here, many by the system: then nothing is copied on the way to it.
void OutputFile::write_parts(std::span<const BytePart> parts) {
  std::size_t all = 0;
  for (const BytePart& part : parts) all += part.size;
  if (packer_ || all < kLarge) return ByteSink::write_parts(parts);
  flush();
  flushed_ += all;
  while (!parts.empty()) parts = write_some(parts);
}

// As many as one call takes; those that it leaves are returned. What goes wrong write_all() meets once more, and knows
// what to do.
std::span<const BytePart> OutputFile::write_some(std::span<const BytePart> parts) {
  constexpr std::size_t kMostParts = 1024;  // IOV_MAX
  std::array<iovec, kMostParts> list;
  const std::size_t count = std::min(parts.size(), kMostParts);
  for (std::size_t i = 0; i < count; ++i) list[i] = {const_cast<void*>(parts[i].data), parts[i].size};
  const ssize_t got = given_up_ ? 0 : writev(fd_, list.data(), static_cast<int>(count));
  std::size_t done = got > 0 ? static_cast<std::size_t>(got) : 0;
  taken_ += done;
  std::size_t whole = 0;
  for (; whole < count && done >= parts[whole].size; ++whole) done -= parts[whole].size;
  if (whole == count) return parts.subspan(count);
  const BytePart& cut = parts[whole];
  write_all(static_cast<const char*>(cut.data) + done, cut.size - done);
  return parts.subspan(whole + 1);
}

std::uint64_t OutputFile::most_held() const {
  if (!packer_) return fill_;
  const std::uint64_t held = fill_ + std::min(flushed_, packer_->most_held());
  return held + held / 128 + kMostOverhead;
}

int OutputFile::reserve_up_to(std::uint64_t end) {
  int error = EINTR;
  while (error == EINTR) {
    error = posix_fallocate(fd_, static_cast<off_t>(reserved_), static_cast<off_t>(end - reserved_));
  }
  if (error == EINVAL || error == EOPNOTSUPP || error == ENODEV) error = 0;  // nobody can say, so nobody asks again
  if (error == 0) reserved_ = end;
  return error;
}

int OutputFile::reserve(std::uint64_t bytes) {
  const std::uint64_t end = taken_ + most_held() + bytes;
  if (!part_ || end <= reserved_) return 0;
  reserved_ = std::max(reserved_, taken_);
  if (reserve_up_to(end + kReservedAtOnce) == 0) return 0;
  const int error = reserve_up_to(end);
  if (error != 0 && ftruncate(fd_, static_cast<off_t>(reserved_)) != 0) return errno;  // it may have got some
  return error;
}

void OutputFile::cut_to(std::uint64_t bytes) {
  fill_ = 0;
  const off_t at = lseek(fd_, 0, SEEK_CUR);  // not the number of bytes, of a file that somebody had begun
  const off_t end = at - static_cast<off_t>(taken_ - bytes);
  if (at < 0 || ftruncate(fd_, end) != 0 || lseek(fd_, end, SEEK_SET) != end) fail(errno);
  taken_ = bytes;
}

void OutputFile::finish() {
  flush();
  if (packer_) packer_->end();
  packer_.reset();
  if (reserved_ > taken_ && ftruncate(fd_, static_cast<off_t>(taken_)) != 0) fail(errno);
  reserved_ = 0;
}

void OutputFile::commit() {
  finish();
  fd_ = -1;
  if (!part_) {
    if (close(own_.release()) != 0) fail(errno);
    return;
  }
  try {
    if (!named_) part_->commit();
  } catch (const std::system_error& error) {
    fail(error.code().value());
  }
  part_.reset();
}

void OutputFile::name_for_now() {
  finish();
  if (!part_) return;
  try {
    part_->commit_for_now();
  } catch (const std::system_error& error) {
    fail(error.code().value());
  }
  named_ = true;
}

void OutputFile::take_back() {
  if (named_) part_->take_back();
  named_ = false;
}

}  // namespace warpmeter::inline base
