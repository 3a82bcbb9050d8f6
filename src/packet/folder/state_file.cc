#include "packet/folder/state_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/files/durable.h"
#include "base/files/path_owners.h"
#include "core/seeded_hash.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {
namespace {

constexpr std::string_view kPart = ".part";
constexpr std::size_t kDigits = 16;

// A million and a half files with the longest names, or the captures of five seconds each of a year: a folder has
// fewer.
constexpr off_t kMostBytes = off_t{1} << 30;

[[noreturn]] void cannot(const std::string& name, const char* what, int error) {
  throw Error(name + ": cannot be " + what + ": " + std::strerror(error));
}

// 0, or the errno.
int write_whole(int fd, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = write(fd, text.data() + done, text.size() - done);
    if (wrote < 0 && errno != EINTR) return errno;
    if (wrote > 0) done += static_cast<std::size_t>(wrote);
  }
  return fsync(fd) == 0 ? 0 : errno;
}

// A name that nobody can foresee, so that in a folder like /tmp nobody puts something there first.
std::string new_part(const std::string& name) {
  char digits[kDigits + 1];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(random_hash_seed().word[0]));
  return name + '.' + digits + std::string(kPart);
}

bool is_part(const std::string& entry, const std::string& base) {
  const std::size_t begin = base.size() + 1, end = begin + kDigits;
  return entry.size() == end + kPart.size() && entry.starts_with(base + '.') && entry.ends_with(kPart) &&
         entry.find_first_not_of("0123456789abcdef", begin) == end;
}

// Of a process that was killed.
void remove_parts(const std::string& name) {
  namespace fs = std::filesystem;
  const std::string base = name.substr(name.rfind('/') + 1);  // npos + 1 is 0
  std::error_code error;
  for (fs::directory_iterator entry(folder_of_path(name), error), end; !error && entry != end; entry.increment(error)) {
    if (is_part(entry->path().filename().string(), base)) unlink(entry->path().c_str());
  }
}

// Whoever was refused removes the file that it made: one that was opened just before is nobody's lock any more.
bool is_file_of(int fd, const std::string& name) {
  struct stat opened {
  }, there{};
  return fstat(fd, &opened) == 0 && lstat(name.c_str(), &there) == 0 && opened.st_dev == there.st_dev &&
         opened.st_ino == there.st_ino;
}

// With the file of a state; empty: nothing.
std::string what_is_wrong(int fd) {
  struct stat status {};
  const bool is_known = fstat(fd, &status) == 0;
  if (is_known && !S_ISREG(status.st_mode)) return ": is no file";
  if (!is_known || !path_owners::is_trusted(status.st_uid)) {
    return ": belongs to another user, who could make this run rename and delete files";
  }
  return status.st_size > kMostBytes ? ": is larger than any state, so it is not read" : "";
}

// 0, or the errno.
int read_text(int fd, std::string_view title, std::string& text) {
  char piece[64 << 10];
  ssize_t got = 0;
  while ((got = read(fd, piece, sizeof piece)) > 0) {
    text.append(piece, static_cast<std::size_t>(got));
    if (!text.starts_with(title) || std::memchr(piece, 0, static_cast<std::size_t>(got))) break;
  }
  return got < 0 ? errno : 0;
}

bool is_there(const std::string& name) {
  struct stat status {};
  return lstat(name.c_str(), &status) == 0 || errno != ENOENT;
}

}  // namespace

StateFile::StateFile(std::string name) : name_(std::move(name)) {
  while (!lock(name_ + ".lock")) continue;
  remove_parts(name_);
  made_file_ = !is_there(name_);
}

// False: it is to be tried again.
bool StateFile::lock(const std::string& name) {
  lock_.reset(open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  made_lock_ = static_cast<bool>(lock_);
  if (!made_lock_ && errno == EEXIST) {
    lock_.reset(open(name.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!lock_ && errno == ENOENT) return false;
  }
  if (!lock_) cannot(name, "opened", errno);
  check_ours(name);
  const int error = flock(lock_.get(), LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
  if (error == 0 && is_file_of(lock_.get(), name)) return true;
  lock_.reset();
  if (error == 0) return false;
  if (error != EWOULDBLOCK && made_lock_) unlink(name.c_str());
  if (error != EWOULDBLOCK) cannot(name, "locked", error);
  throw Error(name_ + ": another warpmeter is running with this state");
}

// In a folder like /tmp somebody else may have put one there, to keep it locked.
void StateFile::check_ours(const std::string& name) {
  struct stat status {};
  const bool is_known = fstat(lock_.get(), &status) == 0;
  if (is_known && S_ISREG(status.st_mode) && path_owners::is_trusted(status.st_uid)) return;
  const bool is_file = !is_known || S_ISREG(status.st_mode);
  throw Error(name + (is_file ? ": belongs to another user, who could keep it locked" : ": is no file"));
}

StateFile::~StateFile() {
  if (!part_.empty()) unlink(part_.c_str());
  if (made_file_ && !keeps_) unlink(name_.c_str());
  if (made_lock_ && !keeps_) unlink((name_ + ".lock").c_str());  // while it is held: nobody can have it then
}

std::optional<std::string> StateFile::load(std::string_view title) const {
  // A pipe must not hold this up.
  const Descriptor file(open(name_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file && errno == ENOENT) return std::nullopt;
  if (!file && errno == ELOOP) throw Error(name_ + ": is a link; name the file itself");
  if (!file) cannot(name_, "read", errno);
  std::string text;
  const std::string wrong = what_is_wrong(file.get());
  if (!wrong.empty()) throw Error(name_ + wrong);
  if (const int error = read_text(file.get(), title, text)) cannot(name_, "read", error);
  return text;
}

void StateFile::prepare(const std::string& text) {
  if (!part_.empty()) unlink(part_.c_str());
  part_ = new_part(name_);
  Descriptor file(open(part_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!file) cannot(std::exchange(part_, {}), "written", errno);
  int error = write_whole(file.get(), text);
  if (close(file.release()) != 0 && !error) error = errno;
  if (!error) return;
  unlink(std::exchange(part_, {}).c_str());
  cannot(name_, "written", error);
}

void StateFile::replace() {
  const std::string part = std::exchange(part_, {});
  if (rename(part.c_str(), name_.c_str()) != 0) {
    const int error = errno;
    unlink(part.c_str());
    cannot(name_, "written", error);
  }
  if (const int error = make_durable(folder_of_path(name_))) cannot(name_, "written", error);
}

}  // namespace warpmeter::inline packet
