// What lies at a path, opened, and the first link on the way that neither root nor this process owns. Each name is
// opened in the folder that was opened before it, and judged when it is open: whoever swaps something on the way
// meanwhile has nothing opened that was not judged.
//
// Sources: O_PATH in open(2); readlink(2), of a link that is open.
//
// Threads: any. Errors: numbers, as of open(2).
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include "core/path_owners.h"

namespace warpmeter {

class OpenedWay {
 public:
  explicit OpenedWay(const std::string& path) {
    namespace fs = std::filesystem;
    std::error_code ignored;
    const bool is_absolute = path.starts_with('/');
    done_ = is_absolute ? fs::path("/") : fs::current_path(ignored);
    enter(open(is_absolute ? "/" : ".", kHow));
    fs::path left = fs::path(path).relative_path();
    while (!error_ && !left.empty()) left = follow(left);
  }
  ~OpenedWay() {
    if (fd_ >= 0) close(fd_);
  }
  OpenedWay(const OpenedWay&) = delete;
  OpenedWay& operator=(const OpenedWay&) = delete;

  int error() const { return error_; }  // 0: it is open
  int fd() const { return fd_; }        // only to look at it, or to name it as /proc/self/fd/N
  // REQUIRES: error() is 0.
  const struct stat& status() const { return status_; }

  // As far as the way went.
  const std::optional<std::string>& link_of_others() const { return link_; }

 private:
  static constexpr int kHow = O_PATH | O_NOFOLLOW | O_CLOEXEC;

  // From now on `fd` is how far the way went.
  void enter(int fd) {
    if ((fd < 0 || fstat(fd, &status_) != 0) && !error_) error_ = errno;
    if (fd_ >= 0) close(fd_);
    fd_ = fd;
  }

  // What is left to go after the first of these names.
  std::filesystem::path follow(const std::filesystem::path& left) {
    const std::string name = left.begin()->string();
    std::filesystem::path rest;
    for (auto part = std::next(left.begin()); part != left.end(); ++part) {
      rest /= part->empty() ? std::filesystem::path(".") : *part;  // of "folder/"
    }
    const int next = openat(fd_, name.c_str(), kHow);
    if (next >= 0 && fstat(next, &status_) == 0 && S_ISLNK(status_.st_mode)) {
      if (!link_ && !path_owners::is_trusted(status_.st_uid)) link_ = (done_ / name).string();
      const std::filesystem::path target = target_of(next);
      close(next);
      return rest.empty() ? target : target / rest;
    }
    enter(next);
    done_ = (done_ / name).lexically_normal();
    return rest;
  }

  // Of a link in the folder that was entered last, from which the way goes on, or from the top.
  std::filesystem::path target_of(int link) {
    std::array<char, PATH_MAX> text{};
    const ssize_t size = readlinkat(link, "", text.data(), text.size());
    if (size <= 0) error_ = size < 0 ? errno : ENOENT;
    if (++links_ > path_owners::kMostLinks) error_ = ELOOP;
    if (error_) return {};
    const std::filesystem::path target(std::string(text.data(), static_cast<std::size_t>(size)));
    if (!target.is_absolute()) return target;
    enter(open("/", kHow));
    done_ = "/";
    return target.relative_path();
  }

  int fd_ = -1, error_ = 0, links_ = 0;
  struct stat status_ {};
  std::filesystem::path done_;  // for people
  std::optional<std::string> link_;
};

}  // namespace warpmeter
