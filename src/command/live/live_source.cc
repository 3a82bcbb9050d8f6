#include "command/live/live_source.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/files/own_files.h"
#include "command/live/open_points.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {

std::string folder_of(const LiveOptions& options) {
  const auto is_folder = [](const std::string& word) { return source_kind_of(word) == SourceKind::folder; };
  if (std::ranges::none_of(options.interfaces, is_folder)) return "";
  if (options.interfaces.size() > 1) throw Error("-i folder:PATH goes with no other -i", ExitStatus::usage);
  std::string path = options.interfaces.front().substr(kFolderWord.size());
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  if (path.empty()) throw Error("-i folder: is followed by the path of a folder", ExitStatus::usage);
  return path;
}

std::vector<std::string> files_there(const LiveOptions& options) {
  std::vector<std::string> files;
  const std::string folder = folder_of(options);
  std::error_code error;
  if (folder.empty()) return files;
  const OwnFiles own;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    struct stat status {};
    if (stat(entry->path().c_str(), &status) == 0 && own.contains_empty(status)) continue;
    files.push_back(entry->path().string());
  }
  return files;
}

std::unique_ptr<LiveSource> open_live_source(const LiveOptions& options, const PacketFilter* filter, CaptureCpus& cpus,
                                             const std::atomic<bool>& stop, SeenFiles seen) {
  if (folder_of(options).empty()) return std::make_unique<LiveRings>(options, filter, cpus, stop);
  return std::make_unique<LiveFolder>(options, filter, stop, std::move(seen));
}

}  // namespace warpmeter::inline command
