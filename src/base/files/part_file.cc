#include "base/files/part_file.h"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <system_error>
#include <utility>

#include "base/files/path_owners.h"

namespace warpmeter::inline base {
namespace {

constexpr mode_t kMode = 0666;          // less the umask
constexpr mode_t kPrivate = 0600;       // for the owner alone, or until it has the rights of the file that it replaces
constexpr int kMostNames = 100;         // tried
constexpr std::size_t kMostBase = 230;  // of the 255 bytes that a name may have

[[noreturn]] void fail(int error = errno) { throw std::system_error(error, std::generic_category()); }

std::string path_of_descriptor(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

// Kernels before 6.0 forget it for a file without a name, on some file systems.
void apply_umask(int fd) {
  struct stat status {};
  if (fstat(fd, &status) != 0) fail();
  if ((status.st_mode & 0777) != kMode) return;
  const mode_t mask = umask(077);  // cannot be asked for without being set
  umask(mask);
  if (fchmod(fd, kMode & ~mask) != 0) fail();
}

// In a folder with the sticky bit, as /tmp, only the owner of a file may replace it; to learn this when all is done
// would be late. Root may, but would give what it writes to whoever put the file there: the rule of Linux'
// fs.protected_regular. Without that bit whoever may write in the folder could as well replace what is written, so that
// only what nobody else may read is refused.
void refuse_file_of_another(const struct stat& folder, const struct stat& old, Readers readers) {
  const uid_t me = geteuid();
  const bool sticky = (folder.st_mode & S_ISVTX) != 0;
  if (sticky && old.st_uid != me && me != 0 && folder.st_uid != me) fail(EPERM);
  if ((sticky || readers == Readers::owner) && is_planted(old, folder)) fail(EACCES);
}

// A single file that is mounted, as into a container, cannot be replaced by another.
void refuse_mount_point(int folder, const std::string& base) {
  struct statx status {};
  const bool told = statx(folder, base.c_str(), AT_SYMLINK_NOFOLLOW, STATX_TYPE, &status) == 0;
  if (told && (status.stx_attributes & STATX_ATTR_MOUNT_ROOT)) fail(EBUSY);
}

}  // namespace

PartFile::PartFile(const std::string& base, bool replaces, Readers readers)
    : base_(base), replaces_(replaces), is_private_(replaces || readers == Readers::owner) {}

// Delegating, so that the destructor runs if one of these throws.
PartFile::PartFile(const OutputPlace& place, Name name, Readers readers)
    : PartFile(place.base, place.there.has_value(), readers) {
  open_folder(place);
  const std::optional<struct stat> old = place.there ? std::optional(old_file(readers)) : std::nullopt;
  if (name == Name::none_if_possible) open_nameless();
  if (!file_) open_named();
  if (old) take_over(*old);  // as it was judged: there may be another one by now
}

PartFile::~PartFile() {
  if (!name_.empty()) unlinkat(folder_.get(), name_.c_str(), 0);
}

void PartFile::open_folder(const OutputPlace& place) {
  folder_.reset(open(place.folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder_) fail();
}

// That has the name in this folder now, and may be replaced: what a link led to a moment ago may have been another one.
struct stat PartFile::old_file(Readers readers) const {
  if (faccessat(folder_.get(), base_.c_str(), W_OK, AT_EACCESS) != 0) fail();  // renaming over it would not ask
  struct stat folder {
  }, old{};
  if (fstat(folder_.get(), &folder) != 0) fail();
  if (fstatat(folder_.get(), base_.c_str(), &old, AT_SYMLINK_NOFOLLOW) != 0) fail();
  if (!S_ISREG(old.st_mode)) fail(ESTALE);
  refuse_file_of_another(folder, old, readers);
  refuse_mount_point(folder_.get(), base_);
  return old;
}

// Opens none where that does not work; open_named() then knows why.
void PartFile::open_nameless() {
  Descriptor nameless(openat(folder_.get(), ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, is_private_ ? kPrivate : kMode));
  if (!nameless) return;
  if (access(path_of_descriptor(nameless.get()).c_str(), F_OK) != 0) return;  // without /proc it could never get a name
  file_ = std::move(nameless);
  if (!is_private_) apply_umask(file_.get());
}

void PartFile::open_named() {
  for (int i = 0; i < kMostNames; ++i) {
    const std::string name = new_name();
    file_.reset(openat(folder_.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                       is_private_ ? kPrivate : kMode));
    if (file_) {
      name_ = name;
      return;
    }
    if (errno != EEXIST) fail();
  }
  fail(EEXIST);
}

// Owner and rights stay what they are, as an overwrite would leave them, as far as this user may set them.
void PartFile::take_over(const struct stat& old) {
  mode_t mode = old.st_mode & 0777;
  struct stat mine {};
  if (fstat(file_.get(), &mine) != 0) fail();
  const bool same = mine.st_uid == old.st_uid && mine.st_gid == old.st_gid;
  if (!same && fchown(file_.get(), old.st_uid, old.st_gid) != 0 && mine.st_gid != old.st_gid &&
      fchown(file_.get(), static_cast<uid_t>(-1), old.st_gid) != 0) {
    mode = (mode & ~mode_t{070}) | ((mode & 07) << 3);  // a group that is another one gets no more than everybody
  }
  static_cast<void>(fchmod(file_.get(), mode));  // fails on a file system without rights
}

bool PartFile::link_as(const std::string& name) const {
  return linkat(AT_FDCWD, path_of_descriptor(file_.get()).c_str(), folder_.get(), name.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

std::string PartFile::new_name() const {
  std::uint64_t random = 0;
  if (getrandom(&random, sizeof random, 0) != sizeof random) fail();
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(random));
  return base_.substr(0, kMostBase) + "." + digits.data() + ".part";
}

// Some file systems tell of a full disk only when a file is closed: to be known before it has its place.
void PartFile::close_a_copy() const {
  Descriptor copy(dup(file_.get()));
  if (!copy || close(copy.release()) != 0) fail();
}

void PartFile::give_hidden_name() {
  for (int i = 0; name_.empty(); ++i) {
    const std::string name = new_name();
    if (link_as(name)) name_ = name;
    else if (errno != EEXIST || i == kMostNames) fail();
  }
}

void PartFile::commit() {
  close_a_copy();
  if (name_.empty()) {
    if (!replaces_ && link_as(base_)) return;
    if (!replaces_ && errno != EEXIST) fail();
    give_hidden_name();
  }
  if (renameat(folder_.get(), name_.c_str(), folder_.get(), base_.c_str()) != 0) fail();
  name_.clear();
}

void PartFile::commit_for_now() {
  close_a_copy();
  if (name_.empty()) {
    if (link_as(base_)) return;
    if (errno != EEXIST) fail();
    give_hidden_name();
  }
  exchange();
}

// What is at the place gets the hidden name, if anything is. Some file systems cannot exchange names.
void PartFile::exchange() {
  struct stat there {};
  const bool is_there = fstatat(folder_.get(), base_.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0;
  if (is_there && S_ISDIR(there.st_mode)) fail(EISDIR);
  if (is_there && renameat2(folder_.get(), name_.c_str(), folder_.get(), base_.c_str(), RENAME_EXCHANGE) == 0) return;
  std::string old;
  if (is_there && (errno == EINVAL || errno == ENOSYS)) {
    old = new_name();
    if (linkat(folder_.get(), base_.c_str(), folder_.get(), old.c_str(), 0) != 0) fail();
  }
  if (renameat(folder_.get(), name_.c_str(), folder_.get(), base_.c_str()) != 0) {
    const int error = errno;
    if (!old.empty()) unlinkat(folder_.get(), old.c_str(), 0);
    fail(error);
  }
  name_ = old;
}

bool PartFile::is_in_place() const {
  struct stat mine {
  }, there{};
  return fstat(file_.get(), &mine) == 0 && fstatat(folder_.get(), base_.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0 &&
         mine.st_dev == there.st_dev && mine.st_ino == there.st_ino;
}

void PartFile::take_back() {
  if (!is_in_place()) return;  // somebody else has put something there
  if (name_.empty()) unlinkat(folder_.get(), base_.c_str(), 0);
  else if (renameat(folder_.get(), name_.c_str(), folder_.get(), base_.c_str()) == 0) name_.clear();
}

}  // namespace warpmeter::inline base
