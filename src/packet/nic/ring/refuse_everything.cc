#include "packet/nic/ring/refuse_everything.h"

#include <linux/filter.h>
#include <sys/socket.h>

namespace warpmeter::inline packet {

bool refuse_everything(int socket) {
  sock_filter none[] = {{BPF_RET | BPF_K, 0, 0, 0}};
  const sock_fprog program{1, none};
  return setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) == 0;
}

}  // namespace warpmeter::inline packet
