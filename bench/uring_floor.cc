// Reading a capture with io_uring and looking at nothing, on one core: what `floors read` does with read(2).
//
//   uring_floor cached FILE KIBIBYTES DEPTH   pieces of that size through the page cache, so many at once
//   uring_floor direct FILE KIBIBYTES DEPTH   past the page cache (O_DIRECT), from the disk
#include <fcntl.h>
#include <liburing.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace {

constexpr std::size_t kAlignment = 4096;  // of what O_DIRECT reads, and where to

struct Freed {
  void operator()(void* memory) const { std::free(memory); }
};
using Buffer = std::unique_ptr<void, Freed>;

class Reader {
 public:
  Reader(int fd, std::size_t size, std::size_t piece, unsigned depth) : fd_(fd), size_(size), piece_(piece) {
    ready_ = io_uring_queue_init(depth, &ring_, 0) == 0;
    for (unsigned i = 0; i < depth; ++i) buffers_.emplace_back(std::aligned_alloc(kAlignment, piece));
  }
  ~Reader() {
    if (ready_) io_uring_queue_exit(&ring_);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // Bytes; 0 if anything failed.
  std::uint64_t read() {
    if (!ready_) return 0;
    for (std::size_t i = 0; i < buffers_.size(); ++i) ask(i);
    std::uint64_t bytes = 0;
    for (; asked_ > 0; --asked_) {
      io_uring_submit(&ring_);
      io_uring_cqe* done;
      if (io_uring_wait_cqe(&ring_, &done) != 0 || done->res <= 0) return 0;
      bytes += static_cast<std::uint64_t>(done->res);
      const auto buffer = static_cast<std::size_t>(io_uring_cqe_get_data64(done));
      io_uring_cqe_seen(&ring_, done);
      ask(buffer);
    }
    return bytes;
  }

 private:
  // For the next piece, if there is one.
  void ask(std::size_t buffer) {
    if (next_ >= size_) return;
    io_uring_sqe* wish = io_uring_get_sqe(&ring_);
    io_uring_prep_read(wish, fd_, buffers_[buffer].get(), static_cast<unsigned>(piece_), next_);
    io_uring_sqe_set_data64(wish, buffer);
    next_ += piece_;
    ++asked_;
  }

  const int fd_;
  const std::size_t size_, piece_;
  io_uring ring_{};
  bool ready_ = false;
  std::vector<Buffer> buffers_;
  std::size_t next_ = 0;  // of the file
  unsigned asked_ = 0;    // pieces that are under way
};

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc == 5 ? argv[1] : "";
  const std::size_t piece = argc == 5 ? std::strtoul(argv[3], nullptr, 10) << 10 : 0;
  const auto depth = static_cast<unsigned>(argc == 5 ? std::strtoul(argv[4], nullptr, 10) : 0);
  const int flags = O_RDONLY | O_CLOEXEC | (what == "direct" ? O_DIRECT : 0);
  const int fd = what == "cached" || what == "direct" ? open(argv[2], flags) : -1;
  struct stat status {};
  if (piece == 0 || piece % kAlignment || depth == 0 || fd < 0 || fstat(fd, &status) != 0) {
    std::fprintf(stderr, "usage: uring_floor cached|direct FILE KIBIBYTES DEPTH\n");
    return 2;
  }
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t bytes = Reader(fd, static_cast<std::size_t>(status.st_size), piece, depth).read();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("%s: %llu bytes in %.3f s\n", what.c_str(), static_cast<unsigned long long>(bytes), seconds);
  return bytes == static_cast<std::uint64_t>(status.st_size) ? 0 : 1;
}
