// The top of the source tree that was built, an absolute path. Compiled into one small object
// (source_folder.cc), so that all others are the same wherever the tree lies, and a compiler cache has them.
#pragma once

#include <string>

namespace warpmeter::test {

std::string source_folder();

}  // namespace warpmeter::test
