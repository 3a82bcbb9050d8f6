#include "export/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "warpmeter/status.h"

namespace warpmeter {
namespace {

constexpr mode_t kMode = 0666;  // less the umask

}  // namespace

OutputFile::OutputFile(const std::string& name)
    : name_(name == "-" ? "standard output" : name), path_(name), buffer_(new char[kBuffer]) {
  if (name == "-") {
    fd_ = dup(STDOUT_FILENO);
    if (fd_ < 0) fail(name_);
    return;
  }
  struct stat status {};
  if (stat(name.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) throw Error(name + ": is a folder");
    if (!S_ISREG(status.st_mode)) {  // a pipe or a device
      fd_ = open(name.c_str(), O_WRONLY | O_CLOEXEC);
      if (fd_ < 0) fail(name);
      return;
    }
    path_ = std::filesystem::canonical(name).string();
    if (access(path_.c_str(), W_OK) != 0) fail(name);  // renaming over it would not ask
  }
  open_part();
}

void OutputFile::open_part() {
  part_ = path_ + ".part";
  fd_ = open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode);
  if (fd_ >= 0) return;
  const int error = errno;
  part_.clear();  // not ours to remove
  errno = error;
  fail(name_);
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) close(fd_);
  if (!part_.empty()) unlink(part_.c_str());
}

void OutputFile::fail(const std::string& path) const {
  throw Error(path + ": cannot be written: " + std::strerror(errno));
}

void OutputFile::write_all(const char* from, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t done = ::write(fd_, from, bytes);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail(name_);
    from += done;
    bytes -= static_cast<std::size_t>(done);
  }
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

void OutputFile::finish() {
  flush();
  if (packer_) packer_->end();
  packer_.reset();
}

void OutputFile::commit() {
  finish();
  const int closed = close(fd_);
  fd_ = -1;
  if (closed != 0) fail(name_);
  if (part_.empty()) return;
  if (std::rename(part_.c_str(), path_.c_str()) != 0) fail(name_);
  part_.clear();
}

}  // namespace warpmeter
