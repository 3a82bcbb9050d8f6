#include "capture/mapping_guard.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <mutex>

namespace warpmeter {
namespace {

struct Slot {
  std::atomic<bool> taken = false;
  std::atomic<std::uintptr_t> begin = 0;  // 0: nothing is mapped; set last, cleared first
  std::atomic<std::uintptr_t> size = 0;
  std::atomic<std::uint64_t> missing_from = MappingGuard::kWhole;
};

std::array<Slot, MappingGuard::kMost> slots;
struct sigaction handler_before;
std::uintptr_t page_bytes;

bool give_zeros(Slot& slot, std::uintptr_t begin, std::uintptr_t size, std::uintptr_t fault) {
  const std::uintptr_t from = fault / page_bytes * page_bytes;
  // Not by the library's function, which sanitizers replace by one that is not for signal handlers.
  const long mapped =
      syscall(SYS_mmap, from, begin + size - from, PROT_READ, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
  if (mapped == -1) return false;
  std::uint64_t known = slot.missing_from.load(std::memory_order_relaxed);
  while (from - begin < known && !slot.missing_from.compare_exchange_weak(known, from - begin)) {
  }
  return true;
}

bool is_ours(std::uintptr_t fault) {
  for (Slot& slot : slots) {
    const std::uintptr_t begin = slot.begin.load(std::memory_order_acquire);
    const std::uintptr_t size = slot.size.load(std::memory_order_acquire);
    if (begin == 0 || fault < begin || fault - begin >= size) continue;
    if (slot.begin.load(std::memory_order_acquire) == begin) return give_zeros(slot, begin, size, fault);
  }
  return false;
}

void on_bus_error(int number, siginfo_t* info, void* context) {
  const int error = errno;
  if (is_ours(reinterpret_cast<std::uintptr_t>(info->si_addr))) {
    errno = error;
    return;
  }
  if (handler_before.sa_flags & SA_SIGINFO) {
    handler_before.sa_sigaction(number, info, context);
  } else if (handler_before.sa_handler != SIG_DFL && handler_before.sa_handler != SIG_IGN) {
    handler_before.sa_handler(number);
  } else {
    signal(SIGBUS, SIG_DFL);  // and the same read ends the program
  }
}

void install_handler() {
  page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, &handler_before);
}

}  // namespace

MappingGuard::MappingGuard(const std::uint8_t* data, std::uint64_t size) {
  static std::once_flag once;
  std::call_once(once, install_handler);
  for (int i = 0; i < kMost && slot_ < 0; ++i) {
    if (!slots[i].taken.exchange(true)) slot_ = i;
  }
  if (slot_ < 0) return;
  slots[slot_].missing_from.store(kWhole, std::memory_order_relaxed);
  slots[slot_].size.store(size, std::memory_order_release);
  slots[slot_].begin.store(reinterpret_cast<std::uintptr_t>(data), std::memory_order_release);
}

MappingGuard::~MappingGuard() {
  if (slot_ < 0) return;
  slots[slot_].begin.store(0, std::memory_order_release);
  slots[slot_].taken.store(false);
}

std::uint64_t MappingGuard::missing_from() const { return slots[slot_].missing_from.load(std::memory_order_relaxed); }

}  // namespace warpmeter
