#include "packet/file/trace_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>
#include <utility>

#include "packet/file/byte_source.h"
#include "packet/file/capture_reader.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {
namespace {

bool is_regular(const std::string& path) {
  std::error_code error;
  return path != "-" && std::filesystem::is_regular_file(path, error);
}

// Of what cannot even be found; pipes are opened when it is their turn.
bool is_there(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  return path == "-" || (std::filesystem::exists(status) && !std::filesystem::is_directory(status));
}

std::optional<std::int64_t> first_time_of(CaptureReader& reader) {
  FrameBlock block;
  bool more = true;
  while (more && block.frames.empty()) {
    block.clear();
    more = reader.read(block, 1);
  }
  if (block.frames.empty()) return std::nullopt;
  return block.frames.front().time_ns;
}

TraceFile look_at_file(const std::string& path, const std::atomic<bool>& stop, const CaptureOptions& options,
                       TraceFiles& all) {
  TraceFile file{.path = path, .regular = is_regular(path)};
  if (!file.regular && is_there(path)) return file;
  const auto reader = open_capture(path, stop, options);  // throws, saying why, where there is nothing
  all.bytes += reader->size();
  all.unpacks |= !reader->facts().compression.empty();
  file.first_ns = first_time_of(*reader);
  return file;
}

bool earlier(const TraceFile& a, const TraceFile& b) {
  const auto key = [](const TraceFile& file) { return std::tuple(!file.first_ns, file.first_ns, file.path); };
  return key(a) < key(b);
}

// The files between two pipes are a group.
void sort_by_time(std::vector<TraceFile>& files) {
  unsigned group = 0;
  auto begin = files.begin();
  for (auto at = files.begin();; ++at) {
    if (at != files.end() && at->regular) continue;
    for (auto file = begin; file != at; ++file) file->group = group;
    std::stable_sort(begin, at, earlier);
    if (at == files.end()) return;
    at->group = ++group;
    ++group;
    begin = at + 1;
  }
}

}  // namespace

TraceFiles look_at_files(std::vector<std::string> paths, FileOrder order, const std::atomic<bool>& stop,
                         const CaptureOptions& options) {
  if (order == FileOrder::name) std::stable_sort(paths.begin(), paths.end());
  TraceFiles all;
  std::set<std::pair<dev_t, ino_t>> met;
  for (const std::string& path : paths) {
    struct stat status {};
    const bool known = order != FileOrder::given && path != "-" && stat(path.c_str(), &status) == 0 &&
                       S_ISREG(status.st_mode) && !met.emplace(status.st_dev, status.st_ino).second;
    if (known) {
      ++all.again;
      continue;
    }
    try {
      all.files.push_back(look_at_file(path, stop, options, all));
    } catch (const Error& error) {
      if (!stop) all.unreadable.push_back(unreadable_file(name_of_input(path), error));
    }
  }
  if (std::any_of(all.files.begin(), all.files.end(), [](const TraceFile& file) { return !file.regular; }))
    all.bytes = 0;
  if (order == FileOrder::time) {
    sort_by_time(all.files);
  } else {
    for (std::size_t i = 0; i < all.files.size(); ++i) all.files[i].group = static_cast<unsigned>(i);
  }
  return all;
}

bool merges_with(const TraceFile& before, const TraceFile& next) {
  return before.group == next.group && before.first_ns && next.first_ns;
}

}  // namespace warpmeter::inline packet
