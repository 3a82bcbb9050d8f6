// HP-CAP's driver, for one queue of a card: /dev/hpcap_ADAPTER_QUEUE.
//
// Source: what its published sources define: numbers of ioctls, the structures that they fill, and the statistics of
// its interface hpcapADAPTER (ethtool -S).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "packet/nic/feeder/hpcap_device.h"

namespace warpmeter::inline packet {

// All queues of an adapter, one or more. Throws Error with one line: there is no such device, no right, no driver.
std::vector<std::unique_ptr<HpcapDevice>> open_hpcap_driver(unsigned adapter);

}  // namespace warpmeter::inline packet
