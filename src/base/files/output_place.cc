#include "base/files/output_place.h"

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>

#include "base/files/path_owners.h"
#include "warpmeter/status.h"

namespace warpmeter::inline base {
namespace fs = std::filesystem;
namespace {

constexpr int kMostLinks = 40;  // as the kernel has it

[[noreturn]] void fail(const std::string& name, int error) {
  const bool standard_output = name == "-";
  throw Error((standard_output ? "standard output" : name) + ": cannot be written: " + std::strerror(error));
}

// In a folder like /tmp somebody else may have put it there, to read what goes into it: the rule of Linux'
// fs.protected_fifos. What nobody else may read goes into none where others may write, sticky bit or not.
bool is_planted_pipe(const struct stat& entry, const fs::path& folder, Readers readers) {
  struct stat status {};
  if (stat(folder.empty() ? "." : folder.c_str(), &status) != 0) return false;
  return (readers == Readers::owner || (status.st_mode & S_ISVTX) != 0) && is_planted(entry, status);
}

// The path that `path` leads to, through any number of links as its last name.
std::string end_of_links(std::string path, const std::string& name) {
  for (int links = 0; links < kMostLinks; ++links) {
    struct stat status {};
    if (lstat(path.c_str(), &status) != 0 || !S_ISLNK(status.st_mode)) return path;
    std::error_code error;
    path = (fs::path(path).parent_path() / fs::read_symlink(path, error)).string();
    if (error) fail(name, error.value());
  }
  fail(name, ELOOP);
}

}  // namespace

// To open these names anew would cut a file that the shell opened to append to it.
std::optional<int> descriptor_named(std::string_view name) {
  if (name == "-" || name == "/dev/stdout") return STDOUT_FILENO;
  if (name == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!name.starts_with(folder)) continue;
    const std::string_view number = name.substr(folder.size());
    int descriptor = -1;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), descriptor);
    if (error == std::errc() && end == number.data() + number.size() && descriptor >= 0) return descriptor;
  }
  return std::nullopt;
}

bool is_no_file(const std::string& name) {
  if (descriptor_named(name)) return true;
  struct stat status {};
  return stat(name.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

OutputPlace place_of(const std::string& name, Readers readers) {
  OutputPlace place;
  struct stat status {};
  place.descriptor = descriptor_named(name);
  if (place.descriptor) {
    if (fstat(*place.descriptor, &status) != 0) fail(name, errno);
    place.there = status;
    return place;
  }
  if (planted_link(name)) fail(name, EACCES);  // it leads where he wants who made it
  std::string path = end_of_links(name, name);
  if (stat(name.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) throw Error(name + ": is a folder");
    if (!S_ISREG(status.st_mode) && is_planted_pipe(status, fs::path(path).parent_path(), readers)) fail(name, EACCES);
    std::error_code error;
    if (S_ISREG(status.st_mode)) path = fs::canonical(name, error).string();
    if (error) fail(name, error.value());
    place.there = status;
  } else if (errno != ENOENT) {
    fail(name, errno);
  }
  const std::size_t slash = path.rfind('/');
  place.folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  place.base = path.substr(slash + 1);  // npos + 1 is 0
  if (place.base.empty()) fail(name, EISDIR);
  return place;
}

}  // namespace warpmeter::inline base
