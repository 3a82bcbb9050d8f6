#include "record/read/record_inputs.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

#include "base/files/file_name.h"
#include "base/files/found_file.h"
#include "base/files/own_files.h"
#include "base/words/human_units.h"
#include "packet/file/inputs.h"
#include "warpmeter/status.h"

namespace warpmeter::inline record {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostLooks = 1000;  // files, where only a hint is looked for

std::string cannot_be_read(const std::string& path, int error) {
  return path + ": cannot be read: " + std::strerror(error);
}

bool in_name_order(const std::string& a, const std::string& b) { return name_order(a, b) < 0; }

// What a folder holds, by full names in name_order().
struct Listing {
  std::vector<std::string> files, folders;
  std::size_t others = 0;               // pipes, devices, links to folders
  std::vector<std::string> unreadable;  // messages
};

Listing list(const std::string& folder) {
  note_found_in(folder);
  Listing found;
  const OwnFiles own;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string path = entry->path().string(), name = entry->path().filename().string();
    if (is_temporary_name(name)) continue;
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) {
      if (errno != ENOENT || fs::is_symlink(entry->symlink_status())) {  // else it has just been deleted
        found.unreadable.push_back(cannot_be_read(path, errno));
      }
    } else if (own.contains_empty(status)) {
      continue;
    } else if (std::string why = fs::is_symlink(entry->symlink_status()) ? why_not_followed(path) : ""; !why.empty()) {
      found.unreadable.push_back(std::move(why));
    } else if (S_ISREG(status.st_mode)) {
      found.files.push_back(path);
    } else if (S_ISDIR(status.st_mode) && !fs::is_symlink(entry->symlink_status())) {
      found.folders.push_back(path);
    } else {
      ++found.others;
    }
  }
  if (error) found.unreadable.push_back(folder + ": cannot be read: " + error.message());
  for (auto* names : {&found.files, &found.folders, &found.unreadable}) {
    std::sort(names->begin(), names->end(), in_name_order);
  }
  return found;
}

class Expansion {
 public:
  Expansion(bool recursive, const std::atomic<bool>& interrupted) : recursive_(recursive), interrupted_(interrupted) {}

  void add(const std::string& input) {
    if (input == "-") return inputs_.files.push_back(input);
    struct stat status {};
    if (lstat(input.c_str(), &status) != 0 && (errno == ENOENT || errno == ENOTDIR)) {
      const int error = errno;
      std::vector<std::string> set = rotated_set(input);
      if (set.empty()) return inputs_.unreadable.push_back(cannot_be_read(input, error));
      inputs_.of_several = true;
      for (std::string& file : set) take(std::move(file));
    } else if (std::error_code ignored; fs::is_directory(input, ignored)) {
      inputs_.of_several = true;
      add_folder(input);
    } else {
      take(input);
    }
  }

  RecordInputs result() {
    if (inputs_.files.empty()) throw CaptureError(joined(inputs_.unreadable));
    return std::move(inputs_);
  }

 private:
  // Two readings of one file would count its flows twice; what comes out of a pipe comes once.
  void take(std::string file) {
    struct stat status {};
    const bool again = stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
                       !taken_.emplace(status.st_dev, status.st_ino).second;
    if (again) ++inputs_.again;
    else inputs_.files.push_back(std::move(file));
  }

  // A folder that was named.
  void add_folder(const std::string& folder) {
    const std::size_t taken_before = taken(), unreadable_before = inputs_.unreadable.size();
    std::vector<std::string> files;
    walk(folder, files);
    std::sort(files.begin(), files.end(), in_name_order);
    for (const std::string& file : files) look_into(file);
    if (taken() > taken_before || inputs_.unreadable.size() > unreadable_before) return;
    inputs_.unreadable.push_back(folder + ": no Flow Records in this folder" + hint(folder));
  }

  std::size_t taken() const { return inputs_.files.size() + inputs_.again; }

  void walk(const std::string& folder, std::vector<std::string>& files) {
    stop_if_interrupted();
    Listing found = list(folder);
    inputs_.passed_over += found.others;
    std::move(found.unreadable.begin(), found.unreadable.end(), std::back_inserter(inputs_.unreadable));
    for (const std::string& below : found.folders) {
      if (recursive_ || is_date_folder(std::string_view(below).substr(below.rfind('/') + 1))) walk(below, files);
      else ++inputs_.folders_below;
    }
    std::move(found.files.begin(), found.files.end(), std::back_inserter(files));
  }

  void look_into(const std::string& file) {
    stop_if_interrupted();
    try {
      if (access(file.c_str(), R_OK) != 0) throw Error(cannot_be_read(file, errno));
      if (looks_like_records(file, interrupted_)) take(file);
      else ++inputs_.passed_over;
    } catch (const Error& error) {
      inputs_.unreadable.push_back(error.what());
    }
  }

  // Why there may be none: captures, or flows further below.
  std::string hint(const std::string& folder) const {
    Listing found = list(folder);
    std::size_t looks = 0;
    for (const std::string& file : found.files) {
      if (++looks <= kMostLooks && is_capture(file)) {
        return ", but captures (such as " + file + "), which warpmeter extract reads";
      }
    }
    if (const std::string below = records_below(found.folders, looks); !below.empty()) {
      return ", but in folders below it (such as " + below + "): --recursive reads them";
    }
    return found.files.empty() ? "" : " (" + human_number_of(found.files.size(), "other file") + ")";
  }

  std::string records_below(const std::vector<std::string>& folders, std::size_t& looks) const {
    if (recursive_) return {};
    for (const std::string& folder : folders) {
      const Listing found = list(folder);
      for (const std::string& file : found.files) {
        stop_if_interrupted();
        if (++looks > kMostLooks) return {};
        if (holds_records(file)) return file;
      }
      if (const std::string below = records_below(found.folders, looks); !below.empty()) return below;
    }
    return {};
  }

  bool holds_records(const std::string& file) const {
    try {
      return looks_like_records(file, interrupted_);
    } catch (const Error&) {
      return false;
    }
  }

  void stop_if_interrupted() const {
    if (interrupted_) throw Error("interrupted", ExitStatus::interrupted);
  }

  const bool recursive_;
  const std::atomic<bool>& interrupted_;
  RecordInputs inputs_;
  std::set<std::pair<dev_t, ino_t>> taken_;  // among the files
};

}  // namespace

RecordInputs expand_record_inputs(const std::vector<std::string>& inputs, bool recursive,
                                  const std::atomic<bool>& interrupted) {
  check_names(inputs);
  Expansion expansion(recursive, interrupted);
  for (const std::string& input : inputs) expansion.add(input);
  return expansion.result();
}

std::string told(const RecordInputs& inputs, std::size_t unreadable) {
  std::string text = human_number_of(inputs.files.size(), "file");
  if (inputs.again) text += fmt::format(", {} named again and read once", inputs.again);
  if (inputs.passed_over) text += fmt::format(", {} passed over", human_number_of(inputs.passed_over, "other"));
  if (unreadable) text += fmt::format(", {} unreadable", unreadable);
  if (inputs.folders_below) {
    text += fmt::format(", {} below not read (--recursive)", human_number_of(inputs.folders_below, "folder"));
  }
  return text;
}

}  // namespace warpmeter::inline record
