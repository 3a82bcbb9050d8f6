// The packets inside packets.
#pragma once

#include "capture.h"
#include "ip_header.h"

namespace reference {

// The innermost packet in `outer` whose IP header can be read, at most eight layers down; `outer` where there is none.
IpHeader innermost(const Frame& frame, const IpHeader& outer);

}  // namespace reference
