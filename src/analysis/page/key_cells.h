// Keys of hosts, pairs and ports as cells of a table.
#pragma once

#include "analysis/page/html.h"
#include "analysis/page/report_data.h"

namespace warpmeter::inline analysis {

std::string host_name(const HostKey& host);  // plain text
html::Cell host_cell(const HostKey& host);
html::Cell pair_cell(const HostPairKey& pair);
html::Cell port_cell(const PortKey& port);

}  // namespace warpmeter::inline analysis
