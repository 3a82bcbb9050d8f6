#include "packet/nic/bpf/kernel_filter.h"

#include <linux/filter.h>
#include <sys/socket.h>

#include <system_error>

#include "packet/nic/bpf/bpf_object.h"
#include "warpmeter/link_type.h"

namespace warpmeter::inline packet {

KernelFilter::KernelFilter(const FilterProgram& filter, std::uint16_t link, int interfaces) {
  const auto beside = link == kLinkEthernet ? TagBeside::Of::as_the_kernel_says : TagBeside::Of::none;
  const auto program = translate_filter(filter, {beside}, counter_.fd(), interfaces);
  if (program) program_ = load_socket_program("wm_filter", *program);
}

std::unique_ptr<KernelFilter> KernelFilter::make(const FilterProgram& filter, std::uint16_t link, int interfaces) {
  try {
    std::unique_ptr<KernelFilter> made(new KernelFilter(filter, link, interfaces));
    if (made->program_) return made;
  } catch (const std::system_error&) {  // the kernel does not allow it
  }
  return {};
}

bool KernelFilter::attach(int socket) const {
  const int program = program_.get();
  return setsockopt(socket, SOL_SOCKET, SO_ATTACH_BPF, &program, sizeof program) == 0;
}

}  // namespace warpmeter::inline packet
