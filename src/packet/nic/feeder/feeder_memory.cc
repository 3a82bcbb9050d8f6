#include "packet/nic/feeder/feeder_memory.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "warpmeter/feeder_ring.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {

FeederMemory map_feeder_memory(int fd) {
  const int seals = fcntl(fd, F_GET_SEALS);
  struct statfs system {};
  struct stat file {};
  if (seals < 0 || fstatfs(fd, &system) != 0 || system.f_type != TMPFS_MAGIC || fstat(fd, &file) != 0) {
    throw Error("what it shares is no memfd of usual pages");
  }
  if ((seals & (F_SEAL_SHRINK | F_SEAL_GROW)) != (F_SEAL_SHRINK | F_SEAL_GROW)) {
    throw Error("its memory is not sealed against changes of its size (F_SEAL_SHRINK, F_SEAL_GROW)");
  }
  const auto bytes = static_cast<std::uint64_t>(file.st_size);
  if (file.st_size <= 0 || bytes < WMF_HEADER_BYTES + WMF_LEAST_DATA || bytes > WMF_HEADER_BYTES + WMF_MOST_DATA) {
    throw Error("a ring of " + std::to_string(file.st_size) + " bytes");
  }
  // Its pages are there, if the feeder is any good: then they need not be asked for one by one. Else none are made.
  const bool is_there = static_cast<std::uint64_t>(file.st_blocks) * 512 >= bytes;
  void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | (is_there ? MAP_POPULATE : 0), fd, 0);
  if (at == MAP_FAILED) throw Error(std::string("its ring cannot be mapped: ") + std::strerror(errno));
  return {{static_cast<std::uint8_t*>(at), [bytes](std::uint8_t* mapped) { munmap(mapped, bytes); }}, bytes};
}

}  // namespace warpmeter::inline packet
