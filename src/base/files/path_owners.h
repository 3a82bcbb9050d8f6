// Who besides the users that are trusted may decide what lies at a path: whoever owns a folder on the way to it, or may
// write there. All that judges owners does it by what is here.
//
// Sources: StrictModes of sshd_config(5); protected_symlinks of proc(5), which may be off and is for folders with the
// sticky bit alone.
//
// Threads: any. Errors: what cannot be looked at is told to who judges.
#pragma once

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>

#include "base/files/opened_way.h"

namespace warpmeter::inline base {
namespace path_owners {

inline bool is_trusted(uid_t user) { return user == 0 || user == geteuid(); }

// The process at the other end of a Unix socket, as it was when it connected, or listened there.
inline std::optional<ucred> peer_of(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? std::optional(peer) : std::nullopt;
}

inline bool others_may_write(const struct stat& folder) { return (folder.st_mode & (S_IWGRP | S_IWOTH)) != 0; }

// The first on this way of which `refuses` is true.
template <class Refuses>
std::optional<std::string> first_passed(const OpenedWay& way, const Refuses& refuses) {
  const auto first = std::ranges::find_if(way.passed(), refuses);
  return first == way.passed().end() ? std::nullopt : std::optional(first->path);
}

}  // namespace path_owners

// The first link on this way that neither root nor this process owns.
inline std::optional<std::string> link_of_others(const OpenedWay& way) {
  return path_owners::first_passed(way, [](const PassedEntry& entry) {
    return S_ISLNK(entry.status.st_mode) && !path_owners::is_trusted(entry.status.st_uid);
  });
}

// The first folder or link on this way that neither root nor this process nor `user` owns, or folder where others than
// its owner may write; where the way ended before its end, `path`. Nothing: there is none.
inline std::optional<std::string> folder_of_others(const OpenedWay& way, const std::string& path, uid_t user) {
  const auto found = path_owners::first_passed(way, [user](const PassedEntry& entry) {
    if (!path_owners::is_trusted(entry.status.st_uid) && entry.status.st_uid != user) return true;
    return !S_ISLNK(entry.status.st_mode) && path_owners::others_may_write(entry.status);
  });
  return found || !way.error() ? found : path;
}

// Somebody may have put this entry into the folder who was not trusted with that: others than its owner may write
// there, and it is neither the owner's, nor root's, nor this process's.
inline bool is_planted(const struct stat& entry, const struct stat& folder) {
  return path_owners::others_may_write(folder) && entry.st_uid != folder.st_uid &&
         !path_owners::is_trusted(entry.st_uid);
}

// The first link on this way that is planted, or is in a folder that is and is not of one who is trusted: it may lead
// to what only this process may read or write.
inline std::optional<std::string> planted_link(const OpenedWay& way) {
  bool in_planted = false;
  return path_owners::first_passed(way, [&in_planted](const PassedEntry& entry) {
    const bool planted =
        is_planted(entry.status, entry.folder) || (in_planted && !path_owners::is_trusted(entry.status.st_uid));
    if (S_ISLNK(entry.status.st_mode)) return planted;
    in_planted = in_planted || planted;
    return false;
  });
}

// The same of the way to `path`. For want of descriptors nobody can tell: then it is what lies there.
inline std::optional<std::string> planted_link(const std::string& path) {
  const OpenedWay way(path);
  const auto link = planted_link(way);
  const bool is_unseen = way.error() == EMFILE || way.error() == ENFILE || way.error() == ENOMEM;
  return link || !is_unseen ? link : path;
}

}  // namespace warpmeter::inline base
