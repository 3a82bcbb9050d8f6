#include "packet/nic/bpf/bpf_array.h"

#include <sys/mman.h>

#include <cerrno>
#include <system_error>

#include "packet/nic/bpf/bpf_object.h"

namespace warpmeter::inline packet {
namespace {

void* mapped(int map, std::size_t bytes, BpfArray::Access access) {
  const int writes = access == BpfArray::Access::write ? PROT_WRITE : 0;
  void* const at = mmap(nullptr, bytes, PROT_READ | writes, MAP_SHARED, map, 0);
  if (at == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "a BPF map cannot be read");
  return at;
}

}  // namespace

BpfArray::BpfArray(const std::string& name, std::uint32_t bytes, std::uint32_t entries, Access access)
    : map_(make_map(name, {.value_bytes = bytes, .entries = entries, .flags = BPF_F_MMAPABLE})),
      size_(std::size_t{bytes} * entries),
      memory_(mapped(map_.get(), size_, access)) {}

BpfArray::~BpfArray() { munmap(memory_, size_); }

}  // namespace warpmeter::inline packet
