#include "ring/bpf.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <string>

namespace warpmeter {
namespace {

constexpr std::size_t kCacheLine = 64;

long call_bpf(bpf_cmd command, bpf_attr& attributes) {
  return syscall(SYS_bpf, command, &attributes, sizeof attributes);
}

BpfDescriptor descriptor_of(long result) { return BpfDescriptor(static_cast<int>(result)); }

std::uint64_t pointer(const void* to) { return reinterpret_cast<std::uintptr_t>(to); }

// CPUs that there may ever be, by their highest number. The file has "0-3", or "0,2-5".
std::size_t possible_cpus() {
  std::string text;
  std::ifstream("/sys/devices/system/cpu/possible") >> text;
  const std::size_t last = text.find_last_of(",-");
  try {
    return std::stoul(last == std::string::npos ? text : text.substr(last + 1)) + 1;
  } catch (const std::exception&) {
    return 0;  // not known
  }
}

}  // namespace

BpfDescriptor::~BpfDescriptor() {
  if (fd_ >= 0) close(fd_);
}

BpfCounter::BpfCounter() : cpus_(possible_cpus()) {
  if (cpus_ == 0) return;
  bpf_attr attributes{};
  attributes.map_type = BPF_MAP_TYPE_ARRAY;
  attributes.map_flags = BPF_F_MMAPABLE;
  attributes.key_size = sizeof(std::uint32_t);
  attributes.value_size = kCacheLine;
  attributes.max_entries = static_cast<std::uint32_t>(cpus_);
  map_ = descriptor_of(call_bpf(BPF_MAP_CREATE, attributes));
  if (!map_) return;
  void* const at = mmap(nullptr, cpus_ * kCacheLine, PROT_READ, MAP_SHARED, map_.fd(), 0);
  if (at != MAP_FAILED) at_ = static_cast<std::uint64_t*>(at);
}

BpfCounter::~BpfCounter() {
  if (at_) munmap(at_, cpus_ * kCacheLine);
}

std::uint64_t BpfCounter::sum() const {
  std::uint64_t sum = 0;
  for (std::size_t cpu = 0; at_ && cpu < cpus_; ++cpu) {
    sum += std::atomic_ref(at_[cpu * kCacheLine / sizeof *at_]).load(std::memory_order_relaxed);
  }
  return sum;
}

BpfDescriptor load_socket_program(std::span<const bpf_insn> program) {
  static const char license[] = "Apache-2.0";
  bpf_attr attributes{};
  attributes.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
  attributes.insns = pointer(program.data());
  attributes.insn_cnt = static_cast<std::uint32_t>(program.size());
  attributes.license = pointer(license);
  return descriptor_of(call_bpf(BPF_PROG_LOAD, attributes));
}

}  // namespace warpmeter
