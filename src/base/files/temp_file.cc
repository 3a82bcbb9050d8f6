#include "base/files/temp_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "warpmeter/status.h"

namespace warpmeter::inline base {

TempFile::TempFile(const std::string& folder)
    : folder_(folder), file_(open(folder.c_str(), O_RDWR | O_TMPFILE | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR)) {
  if (file_) return;
  std::string path = folder + "/warpmeter-XXXXXX";  // a file system without files that have no name
  file_.reset(mkostemp(path.data(), O_CLOEXEC));
  if (!file_) fail("cannot create a run file");
  unlink(path.c_str());
}

void TempFile::fail(const char* doing) const {
  const bool too_many = errno == EMFILE || errno == ENFILE;
  const std::string what = folder_ + ": " + doing + ": " + std::strerror(errno);
  throw Error(what + (too_many ? " (ulimit -n allows more)" : " (--tmpdir chooses another folder)"));
}

void TempFile::write(const void* data, std::size_t bytes, std::uint64_t offset) {
  const char* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t done = pwrite(file_.get(), from, bytes, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) fail("cannot write a run file");
    from += done;
    offset += static_cast<std::uint64_t>(done);
    bytes -= static_cast<std::size_t>(done);
  }
}

void* TempFile::map(std::size_t bytes, std::uint64_t offset) {
  // Or a full disk would be a SIGBUS where the memory is used.
  if (const int error = posix_fallocate(file_.get(), static_cast<off_t>(offset), static_cast<off_t>(bytes))) {
    errno = error;
    fail("cannot write a run file");
  }
  void* const mapped =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), static_cast<off_t>(offset));
  if (mapped == MAP_FAILED) fail("cannot map a run file");
  return mapped;
}

std::size_t TempFile::read(void* data, std::size_t bytes, std::uint64_t offset) const {
  char* to = static_cast<char*>(data);
  std::size_t got = 0;
  while (got < bytes) {
    const ssize_t done = pread(file_.get(), to + got, bytes - got, static_cast<off_t>(offset + got));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail("cannot read a run file");
    if (done == 0) break;
    got += static_cast<std::size_t>(done);
  }
  return got;
}

}  // namespace warpmeter::inline base
