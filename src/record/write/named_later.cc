#include "record/write/named_later.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/files/durable.h"
#include "warpmeter/status.h"

namespace warpmeter::inline record {
namespace {

[[noreturn]] void fail(const std::string& name, int error) {
  throw Error(name + ": cannot be written: " + std::strerror(error));
}

// Some file systems cannot rename so that nothing is replaced, but all have links.
bool rename_to_free(const std::string& from, const std::string& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno == EINVAL || errno == ENOSYS) {
    if (link(from.c_str(), to.c_str()) == 0) return unlink(from.c_str()) == 0;
  }
  if (errno != EEXIST) fail(to, errno);
  return false;
}

}  // namespace

NamedLater::~NamedLater() {
  for (const LaterName& file : added_) unlink(file.hidden.c_str());
}

void NamedLater::begin(std::uint64_t number, const std::string& kind) {
  mark_ = '.' + id_ + '.' + std::to_string(number) + kind + ".part";
}

const LaterName& NamedLater::add(const std::string& before, const std::string& behind) {
  return added_.emplace_back(LaterName{before + behind + mark_, before, behind});
}

std::vector<LaterName> NamedLater::take() {
  std::vector<LaterName> files(added_.begin() + static_cast<std::ptrdiff_t>(taken_), added_.end());
  for (const LaterName& file : files) {
    if (const int error = make_durable(file.hidden)) fail(file.hidden, error);
    if (const int error = make_durable(folder_of_path(file.hidden))) fail(file.hidden, error);
  }
  taken_ = added_.size();
  return files;
}

bool NamedLater::is_hidden_name(const std::string& name, const std::string& id) {
  return name.ends_with(".part") && name.find('.' + id + '.') != std::string::npos;
}

void give_name(const LaterName& file) {
  struct stat status {};
  if (lstat(file.hidden.c_str(), &status) != 0) return;
  for (int number = 1;; ++number) {
    const std::string between = number == 1 ? "" : '-' + std::to_string(number);
    if (rename_to_free(file.hidden, file.before + between + file.behind)) break;
  }
  if (const int error = make_durable(folder_of_path(file.hidden))) fail(file.hidden, error);
}

}  // namespace warpmeter::inline record
