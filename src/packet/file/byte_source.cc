#include "packet/file/byte_source.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/files/descriptor.h"
#include "base/files/found_file.h"
#include "packet/file/file_source.h"
#include "packet/file/regular_file.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {

std::string ByteSource::cut_text(const std::string& what) const {
  std::string reason = broken();
  if (reason.empty() && grew()) reason = kStillWritten;
  return reason.empty() ? what : what + " (" + reason + ")";
}

bool ByteSource::skip(std::uint64_t bytes) {
  lend_to(nullptr);
  while (bytes > 0 && need(1)) {
    const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, left()));
    advance(step);
    bytes -= step;
  }
  return bytes == 0;
}

std::unique_ptr<ByteSource> open_byte_source(const std::string& path, const std::atomic<bool>& stop) {
  const bool standard_input = path == "-";
  Descriptor file = standard_input ? Descriptor(dup(STDIN_FILENO)) : open_input(path);
  if (!file && errno == ENOENT) throw NoSuchFile(path + ": " + std::strerror(errno));
  if (!file) throw Error(path + ": " + std::strerror(errno));
  struct stat status {};
  if (fstat(file.get(), &status) != 0 || S_ISDIR(status.st_mode)) {
    throw Error(path + ": " + std::strerror(S_ISDIR(status.st_mode) ? EISDIR : errno));
  }
  if (S_ISREG(status.st_mode) && status.st_size > 0) {
    const auto size = static_cast<std::uint64_t>(status.st_size);
    // Of standard input somebody may have read a part.
    const auto begin = static_cast<std::uint64_t>(std::clamp<off_t>(lseek(file.get(), 0, SEEK_CUR), 0, status.st_size));
    return std::make_unique<FileSource>(
        standard_input ? "standard input" : path,
        std::make_shared<RegularFile>(std::move(file), size, standard_input ? "" : path), begin);
  }
  return std::make_unique<PipeSource>(std::move(file), standard_input ? "standard input" : path, stop);
}

}  // namespace warpmeter::inline packet
