#include "base/files/output_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/files/durable.h"
#include "base/files/path_owners.h"
#include "base/words/printable.h"
#include "core/seeded_hash.h"
#include "warpmeter/status.h"

namespace warpmeter::inline base {
namespace fs = std::filesystem;
namespace {

constexpr const char* kWaiting = ".part-";  // what has no name yet
constexpr int kMostTries = 100;             // of a name

// "captures/" is "captures".
std::string without_slashes(std::string name) {
  while (name.size() > 1 && name.ends_with('/')) name.pop_back();
  return name;
}

// That nobody can foresee.
std::string random_letters() {
  std::string letters;
  for (std::uint64_t random = random_hash_seed().word[0]; letters.size() < 6; random >>= 5) {
    letters += "0123456789abcdefghijklmnopqrstuv"[random & 31];
  }
  return letters;
}

[[noreturn]] void fail(const std::string& name, const std::string& why) { throw Error(name + ": " + why); }

// The first that is in a folder; where there is something else, not what waits for its place.
std::string first_in(const std::string& name) {
  std::string first;
  std::error_code error;
  for (fs::directory_iterator at(name, error), end; !error && at != end; at.increment(error)) {
    first = at->path().filename().string();
    if (!first.starts_with(kWaiting)) break;
  }
  return first;
}

// Who owns it could put a link in the place of what is written there, and have other files moved or made.
void refuse_folder_of_another(const std::string& name) {
  struct stat status {};
  if (lstat(name.c_str(), &status) != 0) fail(name, std::strerror(errno));
  if (path_owners::is_trusted(status.st_uid)) return;
  fail(name, "the folder is another user's; name one that is not there yet");
}

// Is there an empty folder?
bool is_there(const std::string& name, const std::string& what) {
  if (const auto link = planted_link(name)) fail(name, "leads through " + printable(*link) + ", another user's link");
  std::error_code error;
  const fs::file_status there = fs::symlink_status(name, error);
  if (there.type() == fs::file_type::not_found) return false;
  if (there.type() == fs::file_type::symlink) fail(name, "is a link; name the folder itself");
  if (there.type() != fs::file_type::directory) fail(name, error ? error.message() : "is there, and no folder");
  refuse_folder_of_another(name);
  const bool empty = fs::is_empty(name, error);
  if (error) fail(name, error.message());
  if (empty) return true;
  const std::string first = first_in(name);
  const bool waits = first.starts_with(kWaiting);
  const std::string why =
      waits ? "it holds " + first + ", of a run that goes on or was killed" : what + " get one of their own";
  fail(name, "the folder is not empty; " + why);
}

}  // namespace

// With its rights from the start: a chmod(2) might reach what somebody else has put into its place meanwhile.
OutputFolder::OutputFolder(const std::string& name, const std::string& what, Readers readers)
    : name_(without_slashes(name)), was_there_(is_there(name_, what)) {
  const mode_t mode = readers == Readers::owner ? 0700 : 0777;  // less the umask
  for (int names = 0; path_.empty(); ++names) {
    const std::string path = name_ + (was_there_ ? "/" : "") + kWaiting + random_letters();
    if (mkdir(path.c_str(), mode) == 0) path_ = path;
    else if (errno != EEXIST || names == kMostTries) fail(name_, std::strerror(errno));
  }
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

void OutputFolder::commit() {
  make_durable(path_);
  if (was_there_) move_files();
  else give_name();
  hidden_ = std::exchange(path_, {});
}

void OutputFolder::take_back() {
  remove_moved();
  if (!was_there_ && std::rename(name_.c_str(), hidden_.c_str()) == 0) path_ = hidden_;  // the destructor removes it
}

void OutputFolder::remove_moved() {
  std::error_code ignored;
  for (const std::string& file : std::exchange(moved_, {})) fs::remove(file, ignored);
}

void OutputFolder::give_name() {
  if (std::rename(path_.c_str(), name_.c_str()) != 0) {
    const int error = errno;
    if (error == ENOTEMPTY || error == EEXIST || error == ENOTDIR) fail(name_, "somebody else has put something there");
    fail(name_, std::strerror(error));
  }
  const fs::path parent = fs::path(name_).parent_path();
  make_durable(parent.empty() ? "." : parent.string());
}

// Nothing in the folder but what is ours?
void OutputFolder::check_alone() const {
  for (const fs::directory_entry& entry : fs::directory_iterator(name_)) {
    if (entry.path().filename() != fs::path(path_).filename()) fail(name_, "somebody else has put something there");
  }
}

// Where that fails, none of the files is left.
void OutputFolder::move_files() {
  try {
    check_alone();
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(path_)) files.push_back(entry.path());
    for (const fs::path& file : files) {
      const fs::path to = fs::path(name_) / file.filename();
      fs::rename(file, to);
      moved_.push_back(to.string());
    }
    fs::remove(path_);
  } catch (const fs::filesystem_error& error) {
    remove_moved();
    fail(name_, error.code().message());
  }
  make_durable(name_);
}

}  // namespace warpmeter::inline base
