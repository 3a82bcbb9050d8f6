#include "command/live/rights_of_run.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <system_error>
#include <vector>

#include "base/files/durable.h"

namespace warpmeter::inline command {
namespace {

bool is_writable(const std::string& folder) {
  return faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0;
}

// Files come to lie there later, or get their names. What is there already is replaced, and then the new one is given
// to its owner; a pipe or a device is open by now.
bool takes_files(const std::string& output) {
  if (output.empty() || output == "-") return true;
  std::error_code error;
  const std::string path = std::filesystem::weakly_canonical(output, error).string();
  struct stat there {};
  const bool is_there = !error && stat(path.c_str(), &there) == 0;
  if (is_there && !S_ISREG(there.st_mode)) return true;
  return !error && is_writable(folder_of_path(path)) && (!is_there || there.st_uid == geteuid());
}

}  // namespace

void without_rights(const std::function<void()>& what) {
  std::async(std::launch::async, [&what] {
    drop_rights_of_thread(KeptRights::none);
    what();
  }).get();
}

KeptRights rights_to_keep(const LiveOptions& live, const ExtractOptions& options, const std::string& folder) {
  if (!folder.empty()) return KeptRights::files;  // anybody's, and it is asked who writes to them
  const WithoutRights now;
  std::vector<std::string> outputs = outputs_of(options);
  bool fine = std::ranges::all_of(outputs, takes_files) && is_writable(options.tmpdir);
  if (const std::string& socket = live.detector.socket; !socket.empty()) {
    fine = fine && faccessat(AT_FDCWD, socket.c_str(), W_OK, AT_EACCESS) == 0;
  }
  return fine ? KeptRights::none : KeptRights::files;
}

}  // namespace warpmeter::inline command
