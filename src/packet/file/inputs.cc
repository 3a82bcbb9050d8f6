#include "packet/file/inputs.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "base/files/found_file.h"
#include "base/files/own_files.h"
#include "packet/file/capture_reader.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {
namespace fs = std::filesystem;
namespace {

class Folders {
 public:
  Folders(InputFormat format, bool recursive, const std::vector<std::string>& outputs,
          std::function<bool(const std::string&)> is_other, InputFiles& found)
      : format_(format), recursive_(recursive), own_(outputs), is_other_(std::move(is_other)), found_(found) {}

  // Adds the captures of the folder. One that has none, nor anything that cannot be read, is unreadable itself.
  void add(const std::string& folder) {
    if (is_known(folder)) return;
    const std::size_t before = found_.files.size() + found_.unreadable.size();
    const std::uint64_t below_before = found_.folders_below;
    std::vector<std::string> files;
    list(folder, files);
    std::sort(files.begin(), files.end());
    for (std::string& file : files) {
      if (is_capture(file)) found_.files.push_back(std::move(file));
    }
    if (found_.files.size() + found_.unreadable.size() > before) return;
    const bool below = found_.folders_below > below_before;
    found_.unreadable.push_back(folder + ": no capture files in this folder" +
                                (below ? "; --recursive looks into those below it" : ""));
  }

 private:
  void list(const std::string& folder, std::vector<std::string>& files) {
    note_found_in(folder);
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
      std::error_code ignored;
      const std::string path = entry->path().string();
      if (!entry->is_directory(ignored)) files.push_back(path);
      else if (!recursive_) ++found_.folders_below;
      else if (!is_known(path) && may_be_read(path)) list(path, files);
    }
    if (error) found_.unreadable.push_back(folder + ": " + error.message());
  }

  // A folder is read once, be it that a link leads back to it.
  bool is_known(const std::string& folder) {
    struct stat status {};
    return recursive_ && stat(folder.c_str(), &status) == 0 && !folders_.emplace(status.st_dev, status.st_ino).second;
  }

  bool may_be_read(const std::string& path) {
    std::string why = why_not_read(path);
    if (why.empty()) return true;
    found_.unreadable.push_back(std::move(why));
    return false;
  }

  bool is_capture(const std::string& file) {
    std::error_code error;
    const fs::file_status status = fs::status(file, error);
    if (fs::is_regular_file(status)) {
      if (!may_be_read(file) || is_output(file)) return false;
      try {
        if (holds_packets(file)) return true;
      } catch (const Error& failure) {
        found_.unreadable.emplace_back(failure.what());
        return false;
      }
    } else if (!fs::status_known(status) || !fs::exists(status)) {  // a link to nowhere, or around in a circle
      found_.unreadable.push_back(file + ": " + error.message());
      return false;
    }
    ++found_.passed_over;
    return false;
  }

  // What holds packets is an input all the same: who opens it as an output says so, before it is replaced.
  bool is_output(const std::string& file) const {
    struct stat status {};
    if (stat(file.c_str(), &status) != 0 || !own_.contains(status)) return false;
    if (status.st_size == 0) return true;
    try {
      return !holds_packets(file);
    } catch (const Error&) {
      return true;
    }
  }

  bool holds_packets(const std::string& file) const {
    return (is_other_ && is_other_(file)) || looks_like_capture(file, format_);
  }

  const InputFormat format_;
  const bool recursive_;
  const OwnFiles own_;
  const std::function<bool(const std::string&)> is_other_;
  InputFiles& found_;
  std::set<std::pair<dev_t, ino_t>> folders_;
};

}  // namespace

std::string joined(const std::vector<std::string>& messages) {
  constexpr std::size_t kMostNamed = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(messages.size(), kMostNamed); ++i) text += (i ? "; " : "") + messages[i];
  if (messages.size() > kMostNamed) text += "; and " + std::to_string(messages.size() - kMostNamed) + " more";
  return text;
}

void check_names(const std::vector<std::string>& inputs) {
  if (std::count(inputs.begin(), inputs.end(), "-") > 1) {
    throw Error("- (standard input) is given more than once", ExitStatus::usage);
  }
  if (std::count(inputs.begin(), inputs.end(), "")) throw Error("the name of an input is empty", ExitStatus::usage);
}

InputFiles expand_inputs(const std::vector<std::string>& inputs, InputFormat format, bool recursive,
                         const std::vector<std::string>& outputs, std::function<bool(const std::string&)> is_other) {
  check_names(inputs);
  InputFiles found;
  Folders folders(format, recursive, outputs, std::move(is_other), found);
  for (const std::string& input : inputs) {
    std::error_code error;
    if (input != "-" && fs::is_directory(input, error)) folders.add(input);
    else found.files.push_back(input);
  }
  if (found.files.empty()) throw CaptureError(joined(found.unreadable));
  return found;
}

}  // namespace warpmeter::inline packet
