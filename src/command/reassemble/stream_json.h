// A connection and its blocks as JSON (docs/streams.md, "JSON"): text that is put together, not a tree, since there may
// be more of it than of the capture.
#pragma once

#include <cstdint>
#include <string>

#include "command/reassemble/reassemble_options.h"
#include "warpmeter/tcp_stream.h"

namespace warpmeter::inline command {

// Empty if this build can tell that of bytes; else one line that says why not.
std::string why_not_told(StreamPayload payload);

// These append. REQUIRES: why_not_told() is empty. A connection is what connection_json() has, its blocks with a comma
// and a line break between, and "]}".
void connection_json(std::string& to, const TcpConnection& connection, const ConnectionReport& report);
void block_json(std::string& to, const StreamBlock& block, StreamPayload payload);

}  // namespace warpmeter::inline command
