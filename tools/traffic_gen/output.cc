#include "output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace traffic_gen {
namespace {
constexpr size_t kBufferSize = 1 << 20;
}

Output::Output(const std::string& path) : buffer_(kBufferSize + kLargestFrame), path_(path) {
  file_ = path == "-" ? STDOUT_FILENO : open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0) fail();
}

Output::~Output() { close(); }

void Output::flush() {
  for (size_t done = 0; done < used_ && state_ == State::kGood;) {
    const ssize_t written = write(file_, buffer_.data() + done, used_ - done);
    if (written >= 0) done += static_cast<size_t>(written);
    else if (errno == EPIPE) state_ = State::kReaderGone;
    else if (errno != EINTR) fail();
  }
  used_ = 0;
}

void Output::close() {
  flush();
  if (file_ >= 0 && ::close(file_) != 0 && state_ == State::kGood) fail();  // some file systems tell a full disk here
  file_ = -1;
}

void Output::fail() {
  error_ = (path_ == "-" ? "standard output" : path_) + ": " + std::strerror(errno);
  state_ = State::kFailed;
}

}  // namespace traffic_gen
