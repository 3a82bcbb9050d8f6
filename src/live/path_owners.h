// Who besides the users that are trusted may put another file at a path: whoever owns one of the folders on the way to
// it, or may write there.
//
// Source: StrictModes of sshd_config(5).
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace warpmeter {

// The first folder on the way to `path`, also through links, that neither root nor this process nor `user` owns, or
// where others than its owner may write. Nothing: there is none. A folder that cannot be looked at is one.
std::optional<std::string> folder_of_others(const std::string& path, uid_t user);

}  // namespace warpmeter
