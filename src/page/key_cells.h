// Keys of hosts, pairs and ports as cells of a table.
#pragma once

#include "page/html.h"
#include "page/report_data.h"

namespace warpmeter {

std::string host_name(const HostKey& host);  // plain text
html::Cell host_cell(const HostKey& host);
html::Cell pair_cell(const HostPairKey& pair);
html::Cell port_cell(const PortKey& port);

}  // namespace warpmeter
