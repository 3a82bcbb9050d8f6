#include "packet/nic/bpf/owned_descriptor.h"

#include <unistd.h>

#include <utility>

namespace warpmeter::inline packet {

OwnedDescriptor::OwnedDescriptor(OwnedDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

OwnedDescriptor& OwnedDescriptor::operator=(OwnedDescriptor&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

void OwnedDescriptor::reset() {
  if (fd_ >= 0) close(std::exchange(fd_, -1));
}

}  // namespace warpmeter::inline packet
