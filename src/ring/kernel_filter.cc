#include "ring/kernel_filter.h"

#include <linux/filter.h>
#include <sys/socket.h>

#include "ring/filter_translation.h"
#include "warpmeter/link_type.h"

namespace warpmeter {

std::unique_ptr<KernelFilter> KernelFilter::make(const FilterProgram& filter, std::uint16_t link) {
  auto made = std::make_unique<KernelFilter>();
  if (!made->counter_) return {};
  const auto beside = link == kLinkEthernet ? TagBeside::Of::as_the_kernel_says : TagBeside::Of::none;
  const auto program = translate_filter(filter, {beside}, made->counter_.fd());
  if (program) made->program_ = load_socket_program(*program);
  if (!made->program_) return {};
  return made;
}

bool KernelFilter::attach(int socket) const {
  const int program = program_.fd();
  return setsockopt(socket, SOL_SOCKET, SO_ATTACH_BPF, &program, sizeof program) == 0;
}

}  // namespace warpmeter
