// Who besides the users that are trusted may decide what lies at a path: whoever owns a folder on the way to it, or may
// write there. All that judges owners does it by what is here.
//
// Sources: StrictModes of sshd_config(5); protected_symlinks of proc(5), which may be off and is for folders with the
// sticky bit alone.
//
// Threads: any. Errors: what cannot be looked at is told to who judges.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

namespace warpmeter {

namespace path_owners {

inline constexpr int kMostLinks = 40;  // as many as the kernel follows

inline bool is_trusted(uid_t user) { return user == 0 || user == geteuid(); }

inline bool others_may_write(const struct stat& folder) { return (folder.st_mode & (S_IWGRP | S_IWOTH)) != 0; }

// The first folder or link on the way to `path`, also through links, that is refused: refuses(entry, folder) is asked
// of each and of the folder that it is in. `entry` is null where it cannot be looked at, which ends the way. What lies
// at the end is not asked for.
template <class Refuses>
std::optional<std::string> first_on_way(const std::string& path, const Refuses& refuses) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path left = fs::absolute(path, error).relative_path(), done = "/";
  for (int links = 0; !error && links <= kMostLinks;) {
    struct stat entry {
    }, folder{};
    const bool is_seen = lstat(done.c_str(), &entry) == 0 && stat(done.parent_path().c_str(), &folder) == 0;
    if (!is_seen) return refuses(nullptr, folder) ? std::optional(done.string()) : std::nullopt;
    const bool is_link = S_ISLNK(entry.st_mode);
    if (!is_link && left.empty()) return std::nullopt;  // what lies there
    if (refuses(&entry, folder)) return done.string();
    if (is_link) {
      ++links;
      const fs::path target = fs::read_symlink(done, error);
      left = ((target.is_absolute() ? target : done.parent_path() / target) / left).relative_path();
      done = "/";
      continue;
    }
    // The next name; `..` leads back to folders that were looked at.
    const fs::path next = *left.begin();
    done = next == ".." ? done.parent_path() : next == "." || next.empty() ? done : done / next;
    fs::path rest;
    for (auto part = std::next(left.begin()); part != left.end(); ++part) rest /= *part;
    left = rest;
  }
  return refuses(nullptr, {}) ? std::optional(path) : std::nullopt;
}

}  // namespace path_owners

// The first folder on the way to `path`, also through links, that neither root nor this process nor `user` owns, or
// where others than its owner may write. Nothing: there is none. A folder that cannot be looked at is one.
inline std::optional<std::string> folder_of_others(const std::string& path, uid_t user) {
  return path_owners::first_on_way(path, [user](const struct stat* entry, const struct stat&) {
    if (!entry || !(path_owners::is_trusted(entry->st_uid) || entry->st_uid == user)) return true;
    return !S_ISLNK(entry->st_mode) && path_owners::others_may_write(*entry);
  });
}

// Somebody may have put this entry into the folder who was not trusted with that: others than its owner may write
// there, and it is neither the owner's, nor root's, nor this process's.
inline bool is_planted(const struct stat& entry, const struct stat& folder) {
  return path_owners::others_may_write(folder) && entry.st_uid != folder.st_uid &&
         !path_owners::is_trusted(entry.st_uid);
}

// The first link on the way to `path` that is planted, or is in a folder that is and is not of one who is trusted: it
// may lead to what only this process may read or write.
inline std::optional<std::string> planted_link(const std::string& path) {
  bool in_planted = false;
  return path_owners::first_on_way(path, [&in_planted](const struct stat* entry, const struct stat& folder) {
    if (!entry) return false;
    const bool planted = is_planted(*entry, folder) || (in_planted && !path_owners::is_trusted(entry->st_uid));
    if (S_ISLNK(entry->st_mode)) return planted;
    in_planted = in_planted || planted;
    return false;
  });
}

}  // namespace warpmeter
