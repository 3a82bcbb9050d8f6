#include "base/files/own_files.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace warpmeter::inline base {
namespace fs = std::filesystem;

OwnFiles::OwnFiles(const std::vector<std::string>& outputs) {
  struct stat status {};
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    if (fstat(descriptor, &status) == 0) numbers_.emplace(status.st_dev, status.st_ino);
  }
  for (const std::string& output : outputs) {
    if (stat(output.c_str(), &status) == 0) numbers_.emplace(status.st_dev, status.st_ino);
  }
}

namespace {

// A number, or a time and perhaps a number.
bool is_rotated_middle(std::string_view middle) {
  constexpr std::size_t kShortest = 6;
  return middle == "empty" ||
         (middle.size() >= kShortest && middle.find_first_not_of("0123456789TZ.-") == std::string_view::npos);
}

}  // namespace

OwnNames::OwnNames(const std::string& folder, const std::vector<std::string>& outputs) {
  for (const std::string& output : outputs) {
    const fs::path path(output);
    std::error_code error;
    if (output.empty() || !fs::equivalent(path.has_parent_path() ? path.parent_path() : ".", folder, error)) continue;
    const std::string name = path.filename().string();
    std::size_t end = name.size();  // of NAME.csv.gz that of "csv"
    for (const std::string_view packing : {".gz", ".zst", ".lz4"}) {
      if (name.ends_with(packing)) end = name.size() - packing.size();
    }
    const std::size_t dot = end == 0 ? std::string::npos : name.rfind('.', end - 1);
    names_.push_back(name);
    rotated_.push_back({name.substr(0, dot) + '.', dot == std::string::npos ? "" : name.substr(dot)});
  }
}

bool OwnNames::contains(const std::string& name) const {
  return std::ranges::find(names_, name) != names_.end() || std::ranges::any_of(rotated_, [&](const Around& around) {
           const std::size_t length = around.before.size() + around.behind.size();
           return name.size() > length && name.starts_with(around.before) && name.ends_with(around.behind) &&
                  is_rotated_middle(std::string_view(name).substr(around.before.size(), name.size() - length));
         });
}

}  // namespace warpmeter::inline base
