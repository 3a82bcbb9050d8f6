// What is at the other end of an interface that is no cable's: what is to be changed there, and how.
//
// Threads: any.
#pragma once

#include <string>

#include "packet/nic/ring/network_interface.h"

namespace warpmeter::inline packet {

// The other interface of a veth. Empty: this is no veth, or that one is in another network namespace.
std::string name_of_other_end(const NetworkInterface& interface);

// Changes that frames come with their VLAN tag beside them. A veth gives what the other one sent as it is. `name`,
// `other_end`: as words of a shell; `other_end` may be empty.
std::string command_for_tags_inside(const std::string& name, const std::string& driver, const std::string& other_end);

// Changes that frames of several segments come: the other end of a veth, of a tap and of a bridge's ports leaves them
// so (TSO), a card merges them, and this host's own are cut later.
std::string command_for_single_segments(const std::string& name, const std::string& driver,
                                        const std::string& other_end);

}  // namespace warpmeter::inline packet
