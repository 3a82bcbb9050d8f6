#include "capture/inputs.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "capture/capture_reader.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace fs = std::filesystem;
namespace {

class Folders {
 public:
  Folders(InputFormat format, bool recursive, InputFiles& found)
      : format_(format), recursive_(recursive), found_(found) {}

  // Adds the captures of the folder.
  void add(const std::string& folder) {
    std::vector<std::string> files;
    list(folder, files);
    std::sort(files.begin(), files.end());
    for (std::string& file : files) {
      if (is_capture(file)) found_.files.push_back(std::move(file));
    }
  }

  bool met_folder() const { return met_folder_; }

 private:
  void list(const std::string& folder, std::vector<std::string>& files) {
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
      std::error_code ignored;
      if (!entry->is_symlink(ignored) && entry->is_directory(ignored)) {
        met_folder_ = true;
        if (recursive_) list(entry->path().string(), files);
      } else if (!entry->is_directory(ignored)) {
        files.push_back(entry->path().string());
      }
    }
    if (error) found_.unreadable.push_back(folder + ": " + error.message());
  }

  bool is_capture(const std::string& file) {
    std::error_code error;
    const fs::file_status status = fs::status(file, error);
    if (fs::is_regular_file(status)) {
      try {
        if (looks_like_capture(file, format_)) return true;
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

  const InputFormat format_;
  const bool recursive_;
  InputFiles& found_;
  bool met_folder_ = false;
};

void require_something(const InputFiles& found, const std::string& folder, bool met_folder, bool recursive) {
  if (!found.files.empty()) return;
  if (!found.unreadable.empty()) throw Error(joined(found.unreadable));
  const bool below = met_folder && !recursive;
  throw Error(folder + ": no capture files in this folder" + (below ? "; --recursive looks into those below it" : ""));
}

}  // namespace

std::string joined(const std::vector<std::string>& messages) {
  constexpr std::size_t kMostNamed = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(messages.size(), kMostNamed); ++i) text += (i ? "; " : "") + messages[i];
  if (messages.size() > kMostNamed) text += "; and " + std::to_string(messages.size() - kMostNamed) + " more";
  return text;
}

InputFiles expand_inputs(const std::vector<std::string>& inputs, InputFormat format, bool recursive) {
  if (std::count(inputs.begin(), inputs.end(), "-") > 1) {
    throw Error("- (standard input) is given more than once", ExitStatus::usage);
  }
  InputFiles found;
  Folders folders(format, recursive, found);
  std::string folder;
  for (const std::string& input : inputs) {
    std::error_code error;
    if (input != "-" && fs::is_directory(input, error)) folders.add(folder = input);
    else found.files.push_back(input);
  }
  require_something(found, folder, folders.met_folder(), recursive);
  return found;
}

}  // namespace warpmeter
