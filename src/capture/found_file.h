// Files that were found in a folder, where others may have put them, and links that lead anywhere.
//
// What the kernel makes up as it is read, as /proc has it, is no capture. Reading it may wait for ever, or take away
// what others want (/proc/kmsg); to stat(2) it looks like an empty file. And a link that is planted (path_owners.h) may
// lead to what only this process may read.
//
// Threads: any.
#pragma once

#include <string>

namespace warpmeter {

// A line for users, if what `path` leads to is made up by the kernel, or a planted link leads there; else empty. Opens
// nothing.
std::string why_not_read(const std::string& path);

// The same for planted links alone.
std::string why_not_followed(const std::string& path);

// Opens it to read, as open(2) and without waiting for anybody; a link that took its place meanwhile is looked at.
// Throws Error, with that line.
int open_found(const std::string& path);

}  // namespace warpmeter
