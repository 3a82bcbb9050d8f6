#include "packet/file/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>
#include <vector>

#include "base/files/found_file.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {

RegularFile::RegularFile(Descriptor file, std::uint64_t size, std::string path)
    : file_(std::move(file)), size_(size), path_(std::move(path)) {
  struct stat status {};
  if (!path_.empty() && fstat(file_.get(), &status) == 0) {
    device_ = status.st_dev;
    inode_ = status.st_ino;
  }
  posix_fadvise(file_.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
}

std::uint64_t RegularFile::next_number() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

void RegularFile::park() const {
  if (!path_.empty()) file_.reset();
}

bool RegularFile::open_again() const {
  int none = kNone;
  try {
    file_ = open_input(path_);
  } catch (const Error&) {  // something else lies there
    error_.compare_exchange_strong(none, kOther);
    return false;
  }
  struct stat status {};
  const bool there = file_ && fstat(file_.get(), &status) == 0;
  if (there && status.st_dev == device_ && status.st_ino == inode_) return true;
  error_.compare_exchange_strong(none, there ? kOther : errno);
  file_.reset();
  return false;
}

std::shared_ptr<const RegularFile> RegularFile::clone() const {
  if (data_) return std::make_shared<RegularFile>(data_, size_);
  Descriptor copy(fcntl(file_.get(), F_DUPFD_CLOEXEC, 0));
  if (!copy) throw Error((path_.empty() ? "standard input" : path_) + ": " + std::strerror(errno));
  return std::make_shared<RegularFile>(std::move(copy), size_, path_);
}

std::size_t RegularFile::read(std::uint8_t* to, std::uint64_t from, std::uint64_t until) const {
  const std::size_t wanted = std::min(until, size_) - std::min(from, until);
  std::size_t all = 0;
  while (all < wanted) {
    const std::size_t got = read_some(to + all, from + all, wanted - all);
    if (got == 0) break;
    all += got;
  }
  return all;
}

std::size_t RegularFile::read_some(std::uint8_t* to, std::uint64_t from, std::size_t bytes) const {
  if (data_) {
    std::memcpy(to, data_ + from, bytes);
    return bytes;
  }
  if (!file_ && !open_again()) return 0;
  ssize_t got;
  do {
    got = pread(file_.get(), to, bytes, static_cast<off_t>(from));
  } while (got < 0 && errno == EINTR);
  if (got > 0) return static_cast<std::size_t>(got);
  int none = kNone;
  error_.compare_exchange_strong(none, got < 0 ? errno : 0);
  return 0;
}

std::string RegularFile::problem() const {
  const int error = error_.load();
  if (error == kOther) return kReplaced;
  return error == 0 ? kShrank : "";
}

int RegularFile::error() const { return std::max(error_.load(), 0); }

bool RegularFile::grew() const {
  struct stat status {};
  return file_ && fstat(file_.get(), &status) == 0 && static_cast<std::uint64_t>(status.st_size) > size_;
}

std::uint64_t RegularFile::zeros_from() const {
  std::call_once(zeros_looked_for_, [this] { zeros_from_ = find_zeros(); });
  return zeros_from_;
}

// Standard input, which has no path, may share its place in the file with others: that stays where it is.
bool RegularFile::is_hole(std::uint64_t begin, std::uint64_t end) const {
  if (!file_ || path_.empty()) return false;
  const off_t data = lseek(file_.get(), static_cast<off_t>(begin), SEEK_DATA);
  return data < 0 ? errno == ENXIO : static_cast<std::uint64_t>(data) >= end;
}

std::uint64_t RegularFile::find_zeros() const {
  constexpr std::uint64_t kPiece = 1 << 20;
  std::vector<std::uint8_t> piece(std::min(kPiece, size_));
  for (std::uint64_t end = size_; end > 0;) {
    const std::uint64_t begin = (end - 1) / kPiece * kPiece;
    if (!is_hole(begin, end)) {
      const std::size_t bytes = read(piece.data(), begin, end);
      if (bytes < end - begin) return size_;
      const auto last = std::find_if(std::make_reverse_iterator(piece.begin() + static_cast<std::ptrdiff_t>(bytes)),
                                     piece.rend(), [](std::uint8_t byte) { return byte != 0; });
      if (last != piece.rend()) return begin + static_cast<std::uint64_t>(last.base() - piece.begin());
    }
    end = begin;
  }
  return 0;
}

void RegularFile::read_ahead(std::uint64_t bytes) const {
  if (file_) posix_fadvise(file_.get(), 0, static_cast<off_t>(std::min(bytes, size_)), POSIX_FADV_WILLNEED);
}

namespace {

// What those who lease are shown at once takes less; pages.
constexpr std::size_t kUsual = 320 << 10;

}  // namespace

FileBytes FileView::show(const RegularFile& file, std::uint64_t from, std::uint64_t until) {
  until = std::clamp(until, from, file.size());
  if (read_until(file, from) < std::max(until, from + 1)) read(file, from, until);
  const std::uint64_t end = std::max(from, std::min(until, end_));
  return {buffer_->data() + (from - begin_), from, end, end < until || until == file.size()};
}

std::uint64_t FileView::read_until(const RegularFile& file, std::uint64_t from) const {
  const bool is_there = buffer_ && file_ == file.number() && begin_ <= from && from < end_;
  return is_there ? end_ : from;
}

void FileView::read(const RegularFile& file, std::uint64_t from, std::uint64_t until) {
  begin_ = from / Buffer::kPage * Buffer::kPage;
  if (!buffer_ || buffer_->size() < until - begin_) {
    buffer_.reset();
    const std::size_t size = until - begin_ + Buffer::kPage;
    buffer_ = pool_ ? pool_->take(size) : std::make_shared<Buffer>(size);
  }
  file_ = file.number();
  end_ = begin_ + file.read(buffer_->data(), begin_, until);
}

Lease FileView::lease() {
  if (!pool_) pool_ = std::make_shared<BufferPool>(kUsual);
  return std::move(buffer_);
}

}  // namespace warpmeter::inline packet
