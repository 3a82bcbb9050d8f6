#include "capture/inputs.h"

#include <algorithm>
#include <filesystem>

#include "capture/capture_reader.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace fs = std::filesystem;
namespace {

std::vector<std::string> captures_of(const std::string& folder, InputFormat format) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string path = entry->path().string();
    if (entry->is_regular_file(error) && looks_like_capture(path, format)) files.push_back(path);
  }
  if (error) throw Error(folder + ": " + error.message());
  if (files.empty()) throw Error(folder + ": no capture files in this folder");
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::vector<std::string> expand_inputs(const std::vector<std::string>& inputs, InputFormat format) {
  if (std::count(inputs.begin(), inputs.end(), "-") > 1) {
    throw Error("- (standard input) is given more than once", ExitStatus::usage);
  }
  std::vector<std::string> files;
  for (const std::string& input : inputs) {
    std::error_code error;
    if (input != "-" && fs::is_directory(input, error)) {
      for (std::string& file : captures_of(input, format)) files.push_back(std::move(file));
    } else {
      files.push_back(input);
    }
  }
  return files;
}

}  // namespace warpmeter
