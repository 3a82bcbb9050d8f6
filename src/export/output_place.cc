#include "export/output_place.h"

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "warpmeter/status.h"

namespace warpmeter {
namespace fs = std::filesystem;
namespace {

constexpr int kMostLinks = 40;  // as the kernel has it

[[noreturn]] void fail(const std::string& name, int error) {
  const bool standard_output = name == "-";
  throw Error((standard_output ? "standard output" : name) + ": cannot be written: " + std::strerror(error));
}

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

// The path that `path` leads to through links to nothing; nothing is there.
std::string end_of_links(std::string path, const std::string& name) {
  for (int links = 0; links < kMostLinks; ++links) {
    std::error_code error;
    const fs::path target = fs::read_symlink(path, error);
    if (error) return path;
    path = (fs::path(path).parent_path() / target).string();
  }
  fail(name, ELOOP);
}

}  // namespace

OutputPlace place_of(const std::string& name) {
  OutputPlace place;
  struct stat status {};
  place.descriptor = descriptor_named(name);
  if (place.descriptor) {
    if (fstat(*place.descriptor, &status) != 0) fail(name, errno);
    place.there = status;
    return place;
  }
  std::string path = name;
  if (stat(name.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) throw Error(name + ": is a folder");
    std::error_code error;
    if (S_ISREG(status.st_mode)) path = fs::canonical(name, error).string();
    if (error) fail(name, error.value());
    place.there = status;
  } else if (errno == ENOENT) {
    path = end_of_links(name, name);
  } else {
    fail(name, errno);
  }
  const std::size_t slash = path.rfind('/');
  place.folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  place.base = path.substr(slash + 1);  // npos + 1 is 0
  if (place.base.empty()) fail(name, EISDIR);
  return place;
}

}  // namespace warpmeter
