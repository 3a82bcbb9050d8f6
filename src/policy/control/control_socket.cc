#include "policy/control/control_socket.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>
#include <utility>

#include "base/files/path_owners.h"
#include "base/words/printable.h"
#include "warpmeter/status.h"

namespace warpmeter::inline policy {
namespace {

constexpr std::size_t kLongestPath = sizeof(sockaddr_un::sun_path) - 1;
constexpr int kWaiting = 64;  // connections that nobody has taken yet

// For as long as it lives, if nobody else has it for a second.
class FolderLock {
 public:
  explicit FolderLock(int folder) : folder_(folder) {
    constexpr int kTries = 100;
    for (int i = 0; i < kTries && flock(folder_, LOCK_EX | LOCK_NB) != 0; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  ~FolderLock() { flock(folder_, LOCK_UN); }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  const int folder_;
};

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

Descriptor stream_socket() { return Descriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)); }

// "" if nobody listens at this socket.
std::string who_listens(const std::string& path) {
  const Descriptor asks = stream_socket();
  const sockaddr_un address = address_of(path);
  if (!asks) return std::strerror(errno);
  if (connect(asks.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    const auto peer = path_owners::peer_of(asks.get());
    return "process " + (peer ? std::to_string(peer->pid) : "?") + " listens there";
  }
  return errno == ECONNREFUSED || errno == ENOENT ? "" : "another process listens there";
}

}  // namespace

ControlSocket::ControlSocket(std::string path)
    : path_(std::move(path)), name_(std::filesystem::path(path_).filename().string()) {
  if (name_.empty() || name_ == "." || name_ == "..") fail("no path of a socket");
  if (path_.size() > kLongestPath) {
    fail("too long: the path of a socket has at most " + std::to_string(kLongestPath) + " bytes");
  }
  const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
  folder_ = Descriptor(open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder_) fail(std::strerror(errno));
  const FolderLock lock(folder_.get());
  make_room();
  listen_there();
}

ControlSocket::~ControlSocket() {
  listener_.reset();
  const FolderLock lock(folder_.get());
  struct stat there {};
  if (fstatat(folder_.get(), name_.c_str(), &there, AT_SYMLINK_NOFOLLOW) != 0) return;
  if (there.st_dev == own_.st_dev && there.st_ino == own_.st_ino) unlinkat(folder_.get(), name_.c_str(), 0);
}

void ControlSocket::fail(const std::string& why) const {
  throw Error("--policy-socket " + printable(path_) + ": " + why, ExitStatus::usage);
}

void ControlSocket::make_room() const {
  struct stat there {};
  if (fstatat(folder_.get(), name_.c_str(), &there, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno != ENOENT) fail(std::strerror(errno));
    return;
  }
  if (!S_ISSOCK(there.st_mode)) fail("no socket, but a file, folder or link that is there already");
  const std::string listening = who_listens(path_);
  if (!listening.empty()) fail("in use: " + listening);
  if (!path_owners::is_trusted(there.st_uid)) {
    fail("a socket of user " + std::to_string(there.st_uid) + " is there already");
  }
  if (unlinkat(folder_.get(), name_.c_str(), 0) != 0 && errno != ENOENT) fail(std::strerror(errno));
}

// Nobody else may open it at any moment.
void ControlSocket::listen_there() {
  listener_ = stream_socket();
  const sockaddr_un address = address_of(path_);
  if (!listener_ || fchmod(listener_.get(), S_IRUSR | S_IWUSR) != 0 ||
      bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    fail(std::strerror(errno));
  }
  const bool is_known = fstatat(folder_.get(), name_.c_str(), &own_, AT_SYMLINK_NOFOLLOW) == 0;
  if (is_known && listen(listener_.get(), kWaiting) == 0) return;
  const std::string why = std::strerror(errno);
  unlinkat(folder_.get(), name_.c_str(), 0);
  fail(why);
}

}  // namespace warpmeter::inline policy
