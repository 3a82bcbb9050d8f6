#include "support/source_folder.h"

namespace warpmeter::test {

std::string source_folder() { return WARPMETER_SOURCE; }

}  // namespace warpmeter::test
