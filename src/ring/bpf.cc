#include "ring/bpf.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>
#include <numeric>
#include <string>
#include <vector>

namespace warpmeter {
namespace {

long call_bpf(bpf_cmd command, bpf_attr& attributes) {
  return syscall(SYS_bpf, command, &attributes, sizeof attributes);
}

BpfDescriptor descriptor_of(long result) { return BpfDescriptor(static_cast<int>(result)); }

std::uint64_t pointer(const void* to) { return reinterpret_cast<std::uintptr_t>(to); }

// CPUs that there may ever be; a map has a place for each. The file has "0-3", or "0,2-5".
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

BpfDescriptor make_counter() {
  if (possible_cpus() == 0) return {};
  bpf_attr attributes{};
  attributes.map_type = BPF_MAP_TYPE_PERCPU_ARRAY;
  attributes.key_size = sizeof(std::uint32_t);
  attributes.value_size = sizeof(std::uint64_t);
  attributes.max_entries = 1;
  return descriptor_of(call_bpf(BPF_MAP_CREATE, attributes));
}

std::uint64_t read_counter(const BpfDescriptor& counter) {
  static const std::size_t cpus = possible_cpus();
  const std::uint32_t key = 0;
  std::vector<std::uint64_t> values(cpus);
  bpf_attr attributes{};
  attributes.map_fd = static_cast<std::uint32_t>(counter.fd());
  attributes.key = pointer(&key);
  attributes.value = pointer(values.data());
  if (call_bpf(BPF_MAP_LOOKUP_ELEM, attributes) != 0) return 0;
  return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
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
