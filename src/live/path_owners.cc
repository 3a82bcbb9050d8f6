#include "live/path_owners.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

namespace warpmeter {
namespace fs = std::filesystem;
namespace {

constexpr int kMostLinks = 40;  // as many as the kernel follows

bool is_safe(const struct stat& entry, uid_t user) {
  const bool is_trusted = entry.st_uid == 0 || entry.st_uid == geteuid() || entry.st_uid == user;
  return is_trusted && (S_ISLNK(entry.st_mode) || (entry.st_mode & (S_IWGRP | S_IWOTH)) == 0);
}

}  // namespace

std::optional<std::string> folder_of_others(const std::string& path, uid_t user) {
  std::error_code error;
  fs::path left = fs::absolute(path, error).relative_path(), done = "/";
  for (int links = 0; !error && links <= kMostLinks;) {
    struct stat entry {};
    if (lstat(done.c_str(), &entry) != 0) return done.string();
    if (S_ISLNK(entry.st_mode)) {
      if (!is_safe(entry, user)) return done.string();
      ++links;
      const fs::path target = fs::read_symlink(done, error);
      left = ((target.is_absolute() ? target : done.parent_path() / target) / left).relative_path();
      done = "/";
      continue;
    }
    if (left.empty()) return std::nullopt;  // what lies there
    if (!is_safe(entry, user)) return done.string();
    // The next name; `..` leads back to folders that were looked at.
    const fs::path next = *left.begin();
    done = next == ".." ? done.parent_path() : next == "." || next.empty() ? done : done / next;
    fs::path rest;
    for (auto part = std::next(left.begin()); part != left.end(); ++part) rest /= *part;
    left = rest;
  }
  return path;
}

}  // namespace warpmeter
