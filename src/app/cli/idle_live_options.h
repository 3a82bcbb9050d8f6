// Options of `live` that would change nothing of this capture: whoever gave one meant something by it.
#pragma once

#include "command/live/live.h"

namespace CLI {
class App;
}

namespace warpmeter::inline app {

// `command`: which options were given. Throws Error (usage) for the first that means nothing to anything that is
// captured.
void refuse_idle_live_options(const CLI::App& command, const LiveOptions& options);

}  // namespace warpmeter::inline app
