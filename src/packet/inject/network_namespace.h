// Something done in another network namespace, which ip-netns(8) has given a name.
//
// Source: setns(2), ip-netns(8).
//
// Threads: any. The one that calls stays in its namespace: another one goes there, and ends.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

namespace warpmeter::inline packet {

// `name`: of a namespace, or a path with a slash in it, as /proc/PID/ns/net; empty: the one where we are. Throws Error,
// and what `work` throws.
void in_network_namespace(const std::string& name, const std::function<void()>& work);

// A namespace by its name: who keeps something of it, as a device, keeps it alive when nobody else can get there any
// more.
class NamedNamespace {
 public:
  explicit NamedNamespace(const std::string& name);
  // The name has another namespace by now, or none. Where that cannot be told: no.
  bool is_gone() const;

 private:
  std::string path_;  // empty: the one where we are
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace warpmeter::inline packet
