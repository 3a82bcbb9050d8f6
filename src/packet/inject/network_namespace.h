// Something done in another network namespace, which ip-netns(8) has given a name.
//
// Source: setns(2), ip-netns(8).
//
// Threads: any. The one that calls stays in its namespace: another one goes there, and ends.
#pragma once

#include <functional>
#include <string>

namespace warpmeter::inline packet {

// `name`: of a namespace, or a path with a slash in it, as /proc/PID/ns/net; empty: the one where we are. Throws Error,
// and what `work` throws.
void in_network_namespace(const std::string& name, const std::function<void()>& work);

}  // namespace warpmeter::inline packet
