// Files that the kernel makes up as they are read, as those of /proc: none is a capture. Reading one may wait for ever,
// or take away what others want (/proc/kmsg); to stat(2) it looks like an empty file. Whoever may put a link into a
// folder that is read could lead there.
//
// Threads: any.
#pragma once

#include <string>

namespace warpmeter {

// A line for users, if what `path` leads to is one; else empty. Opens nothing.
std::string why_not_read(const std::string& path);

}  // namespace warpmeter
