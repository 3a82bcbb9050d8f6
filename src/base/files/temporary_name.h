// Names that files have for a while only: who writes them renames them when they are complete. In a folder that
// grows, and in one of Flow Records, nothing of such a name is read; a file that the user names is.
#pragma once

#include <string_view>

namespace warpmeter::inline base {

// Hidden, or with the end that a temporary file's name usually has.
inline bool is_temporary_name(std::string_view name) {
  if (name.starts_with('.') || name.ends_with('~')) return true;
  for (const std::string_view end : {".part", ".partial", ".tmp", ".temp", ".swp", ".filepart", ".crdownload"}) {
    if (name.ends_with(end)) return true;
  }
  return false;
}

}  // namespace warpmeter::inline base
