#include "packet/nic/bpf/bpf_interfaces.h"

#include <atomic>

namespace warpmeter::inline packet {
namespace {

constexpr std::uint32_t kMost = 65'536;

}  // namespace

BpfInterfaces::BpfInterfaces(const std::string& name)
    : array_(name, sizeof(std::uint64_t), kMost, BpfArray::Access::write) {}

void BpfInterfaces::set(int interface, std::uint64_t value) {
  if (interface <= 0 || static_cast<std::uint32_t>(interface) >= kMost) return;
  auto& entry = static_cast<std::uint64_t*>(array_.memory())[interface];
  std::atomic_ref(entry).store(value, std::memory_order_relaxed);
}

}  // namespace warpmeter::inline packet
