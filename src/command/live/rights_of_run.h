// Which rights a live capture keeps once it captures. Rings need none; files may: root writes to folders of other
// users, and reads captures of theirs.
//
// Threads: one.
#pragma once

#include <functional>
#include <string>

#include "command/live/live.h"
#include "packet/nic/xdp/capture_rights.h"

namespace warpmeter::inline command {

// Does it in a thread without any: threads that it begins have none, whatever becomes of the process later. Throws what
// it throws.
void without_rights(const std::function<void()>& what);

// `folder`: whose files are read; empty: none is. `options`: of the run.
KeptRights rights_to_keep(const LiveOptions& live, const ExtractOptions& options, const std::string& folder);

}  // namespace warpmeter::inline command
