#include "packet/inject/network_namespace.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <thread>

#include "base/files/descriptor.h"
#include "base/words/printable.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {
namespace {

std::string path_of(const std::string& name) {
  return name.find('/') == std::string::npos ? "/run/netns/" + name : name;
}

void enter(const std::string& name) {
  const Descriptor there(open(path_of(name).c_str(), O_RDONLY | O_CLOEXEC));
  if (there && setns(there.get(), CLONE_NEWNET) == 0) return;
  const int error = errno;
  const std::string hint = error == EPERM ? "; it takes the capability CAP_SYS_ADMIN" : "";
  throw Error("network namespace " + printable(name) + ": " + std::strerror(error) + hint);
}

}  // namespace

void in_network_namespace(const std::string& name, const std::function<void()>& work) {
  if (name.empty()) return work();
  std::exception_ptr failure;
  std::jthread([&] {
    try {
      enter(name);
      work();
    } catch (...) {
      failure = std::current_exception();
    }
  }).join();
  if (failure) std::rethrow_exception(failure);
}

NamedNamespace::NamedNamespace(const std::string& name) : path_(name.empty() ? "" : path_of(name)) {
  struct stat now {};
  if (!path_.empty() && stat(path_.c_str(), &now) != 0) path_.clear();
  device_ = now.st_dev;
  inode_ = now.st_ino;
}

bool NamedNamespace::is_gone() const {
  if (path_.empty()) return false;
  struct stat now {};
  if (stat(path_.c_str(), &now) != 0) return errno == ENOENT;
  return now.st_dev != device_ || now.st_ino != inode_;
}

}  // namespace warpmeter::inline packet
