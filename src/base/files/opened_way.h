// What lies at a path, opened, and all that is passed on the way to it. Each name is opened in the folder that was
// opened before it, and looked at when it is open: whoever swaps something on the way meanwhile has nothing opened that
// was not looked at. Who may decide what lies there is judged by what was passed (path_owners.h).
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
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/files/descriptor.h"

namespace warpmeter::inline base {

// A folder or a link on the way, and the folder that it is in.
struct PassedEntry {
  std::string path;
  struct stat status, folder;
};

class OpenedWay {
 public:
  // From "/" on: what is above the folder that the process is in belongs to the way.
  explicit OpenedWay(const std::string& path) {
    std::error_code error;
    std::filesystem::path left = std::filesystem::absolute(path, error).relative_path();
    error_ = error.value();
    enter_root();
    while (!error_ && !left.empty()) left = follow(left);
  }
  OpenedWay(const OpenedWay&) = delete;
  OpenedWay& operator=(const OpenedWay&) = delete;

  int error() const { return error_; }  // 0: it is open
  int fd() const { return at_.get(); }  // only to look at it, or to name it as /proc/self/fd/N
  // REQUIRES: error() is 0.
  const struct stat& status() const { return status_; }

  // As far as the way went, from "/" on and without what lies at its end.
  const std::vector<PassedEntry>& passed() const { return passed_; }

 private:
  static constexpr int kHow = O_PATH | O_NOFOLLOW | O_CLOEXEC;
  static constexpr int kMostLinks = 40;  // as many as the kernel follows

  // From now on `next` is how far the way went.
  void enter(Descriptor next) {
    above_ = status_;
    if ((!next || fstat(next.get(), &status_) != 0) && !error_) error_ = errno;
    at_ = std::move(next);
  }
  void enter_root() {
    done_ = "/";
    enter(Descriptor(open("/", kHow)));
    above_ = status_;
    is_passed_ = false;
  }

  // What is left to go after the first of these names.
  std::filesystem::path follow(const std::filesystem::path& left) {
    if (!is_passed_) passed_.push_back({done_.string(), status_, above_});
    is_passed_ = true;
    const std::string first = left.begin()->string(), name = first.empty() ? "." : first;  // of "folder/"
    std::filesystem::path rest;
    for (auto part = std::next(left.begin()); part != left.end(); ++part) rest /= part->empty() ? "." : *part;
    Descriptor next(openat(at_.get(), name.c_str(), kHow));
    struct stat status {};
    if (next && fstat(next.get(), &status) == 0 && S_ISLNK(status.st_mode)) {
      passed_.push_back({(done_ / name).string(), status, status_});
      const std::filesystem::path target = target_of(next.get());
      return rest.empty() ? target : target / rest;
    }
    enter(std::move(next));
    is_passed_ = name == "." || name == "..";  // leads back to folders that were passed
    done_ = (done_ / name).lexically_normal();
    return rest;
  }

  // Of a link in the folder that was entered last, from which the way goes on, or from the top.
  std::filesystem::path target_of(int link) {
    std::array<char, PATH_MAX> text{};
    const ssize_t size = readlinkat(link, "", text.data(), text.size());
    if (size <= 0) error_ = size < 0 ? errno : ENOENT;
    if (++links_ > kMostLinks) error_ = ELOOP;
    if (error_) return {};
    const std::filesystem::path target(std::string(text.data(), static_cast<std::size_t>(size)));
    if (!target.is_absolute()) return target;
    enter_root();
    return target.relative_path();
  }

  Descriptor at_;
  int error_ = 0, links_ = 0;
  struct stat status_ {
  }, above_{};                  // of what is open, and of the folder that it is in
  bool is_passed_ = false;      // what is open is among `passed_`
  std::filesystem::path done_;  // for people; no link is in it
  std::vector<PassedEntry> passed_;
};

}  // namespace warpmeter::inline base
