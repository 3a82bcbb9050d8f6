#include "packet/nic/bpf/bpf_object.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <vector>

namespace warpmeter::inline packet {
namespace {

constexpr std::uint32_t kFragmentsFlag = 1U << 5;  // BPF_F_XDP_HAS_FRAGS, Linux 5.18
constexpr std::uint32_t kBoundFlag = 1U << 6;      // BPF_F_XDP_DEV_BOUND_ONLY, Linux 6.3
constexpr const char* kLicence = "Apache-2.0";
constexpr std::size_t kLogBytes = 64 << 10;

int call_bpf(bpf_cmd command, bpf_attr& attributes) {
  return static_cast<int>(syscall(SYS_bpf, command, &attributes, sizeof attributes));
}

std::uint64_t address(const void* of) { return reinterpret_cast<std::uintptr_t>(of); }

[[noreturn]] void refuse(int error, const std::string& what) {
  throw std::system_error(error, std::generic_category(), what);
}

Descriptor made(int fd, const std::string& what) {
  if (fd < 0) refuse(errno, what);
  return Descriptor(fd);
}

void set_name(char (&to)[BPF_OBJ_NAME_LEN], const std::string& name) { name.copy(to, sizeof to - 1); }

// What the kernel's verifier said last, but for its statistics.
std::string last_line(const std::string& log) {
  std::string last;
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t end = std::min(log.find('\n', at), log.size());
    const std::string line = log.substr(at, end - at);
    if (!line.empty() && !line.starts_with("processed ")) last = line;
    at = end + 1;
  }
  return last;
}

// Once more for what the verifier says, where it is refused. `what`: "the XDP program".
Descriptor load(bpf_attr& attributes, const std::string& name, const BpfCode& code, const std::string& what,
                const char* licence = kLicence) {
  const std::string refused = "the kernel does not take " + what;
  if (code.is_too_long()) refuse(E2BIG, refused);
  const std::vector<bpf_insn>& instructions = code.instructions();
  attributes.insns = address(instructions.data());
  attributes.insn_cnt = static_cast<std::uint32_t>(instructions.size());
  attributes.license = address(licence);
  set_name(attributes.prog_name, name);
  const int fd = call_bpf(BPF_PROG_LOAD, attributes);
  if (fd >= 0) return Descriptor(fd);
  const int error = errno;
  std::string log(kLogBytes, '\0');
  attributes.log_buf = address(log.data());
  attributes.log_size = kLogBytes;
  attributes.log_level = 1;
  if (Descriptor late(call_bpf(BPF_PROG_LOAD, attributes)); late) return late;
  const std::string reason = last_line(log.c_str());
  refuse(error, refused + (reason.empty() ? "" : " (" + reason + ")"));
}

}  // namespace

Descriptor make_map(const std::string& name, const BpfMapShape& shape) {
  bpf_attr attributes{};
  attributes.map_type = shape.type;
  attributes.key_size = shape.type == BPF_MAP_TYPE_RINGBUF ? 0 : sizeof(std::uint32_t);
  attributes.value_size = shape.value_bytes;
  attributes.max_entries = shape.entries;
  attributes.map_flags = shape.flags;
  set_name(attributes.map_name, name);
  return made(call_bpf(BPF_MAP_CREATE, attributes), "no BPF map");
}

void put_into_map(int map, std::uint32_t key, const void* value) {
  bpf_attr attributes{};
  attributes.map_fd = static_cast<std::uint32_t>(map);
  attributes.key = address(&key);
  attributes.value = address(value);
  if (call_bpf(BPF_MAP_UPDATE_ELEM, attributes) != 0) refuse(errno, "no place in a BPF map");
}

void remove_from_map(int map, std::uint32_t key) noexcept {
  bpf_attr attributes{};
  attributes.map_fd = static_cast<std::uint32_t>(map);
  attributes.key = address(&key);
  call_bpf(BPF_MAP_DELETE_ELEM, attributes);
}

Descriptor load_xdp_program(const std::string& name, const BpfCode& code, XdpProgramKind kind) {
  bpf_attr attributes{};
  attributes.prog_type = BPF_PROG_TYPE_XDP;
  attributes.prog_flags = (kind.fragments ? kFragmentsFlag : 0) | (kind.interface ? kBoundFlag : 0);
  attributes.prog_ifindex = static_cast<std::uint32_t>(kind.interface);
  return load(attributes, name, code, "the XDP program", kind.interface ? "GPL" : kLicence);
}

Descriptor load_socket_program(const std::string& name, const BpfCode& code) {
  bpf_attr attributes{};
  attributes.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
  return load(attributes, name, code, "the program of a socket");
}

Descriptor attach_xdp(int program, int interface, std::uint32_t flags) {
  bpf_attr attributes{};
  attributes.link_create.prog_fd = static_cast<std::uint32_t>(program);
  attributes.link_create.target_ifindex = static_cast<std::uint32_t>(interface);
  attributes.link_create.attach_type = BPF_XDP;
  attributes.link_create.flags = flags;
  return made(call_bpf(BPF_LINK_CREATE, attributes), "no XDP program for this interface");
}

std::uint32_t run_once(int program, const FrameForProgram& frame) {
  bpf_attr attributes{};
  attributes.test.prog_fd = static_cast<std::uint32_t>(program);
  attributes.test.data_in = address(frame.bytes);
  attributes.test.data_size_in = frame.size;
  if (call_bpf(BPF_PROG_TEST_RUN, attributes) != 0) refuse(errno, "the program does not run (BPF_PROG_TEST_RUN)");
  return attributes.test.retval;
}

void run_with_live_frames(int program, const FrameForProgram& frame, std::uint32_t times) {
  xdp_md context{};
  context.data_end = frame.size;
  context.ingress_ifindex = frame.interface;
  context.rx_queue_index = frame.queue;
  bpf_attr attributes{};
  attributes.test.prog_fd = static_cast<std::uint32_t>(program);
  attributes.test.data_in = address(frame.bytes);
  attributes.test.data_size_in = frame.size;
  attributes.test.ctx_in = address(&context);
  attributes.test.ctx_size_in = sizeof context;
  attributes.test.repeat = times;
  attributes.test.flags = BPF_F_TEST_XDP_LIVE_FRAMES;
  if (call_bpf(BPF_PROG_TEST_RUN, attributes) != 0) refuse(errno, "no live frames (BPF_PROG_TEST_RUN)");
}

}  // namespace warpmeter::inline packet
