// Atomic operations on plain memory, the same for a GPU and for the CPU's threads. All are relaxed: what one kernel
// writes another may read, and within a kernel nobody waits for what others write.
#pragma once

#include <cstdint>

#include "warpmeter/hd.h"

namespace warpmeter {

WARPMETER_HD inline std::uint64_t load_relaxed(const std::uint64_t* from) {
#if defined(__CUDA_ARCH__)
  std::uint64_t value;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
  return value;
#else
  return __atomic_load_n(from, __ATOMIC_RELAXED);
#endif
}

WARPMETER_HD inline void store_relaxed(std::uint32_t* to, std::uint32_t value) {
#if defined(__CUDA_ARCH__)
  *static_cast<volatile std::uint32_t*>(to) = value;
#else
  __atomic_store_n(to, value, __ATOMIC_RELAXED);
#endif
}

// Returns what was there.
WARPMETER_HD inline std::uint64_t compare_and_swap(std::uint64_t* at, std::uint64_t expected, std::uint64_t desired) {
#if defined(__CUDA_ARCH__)
  return atomicCAS(reinterpret_cast<unsigned long long*>(at), expected, desired);
#else
  __atomic_compare_exchange_n(at, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
#endif
}

WARPMETER_HD inline std::uint32_t fetch_add(std::uint32_t* at, std::uint32_t value) {
#if defined(__CUDA_ARCH__)
  return atomicAdd(at, value);
#else
  return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
#endif
}

WARPMETER_HD inline void lower_to(std::uint32_t* at, std::uint32_t value) {
#if defined(__CUDA_ARCH__)
  atomicMin(at, value);
#else
  std::uint32_t seen = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (value < seen && !__atomic_compare_exchange_n(at, &seen, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
#endif
}

WARPMETER_HD inline void raise_to(std::int64_t* at, std::int64_t value) {
#if defined(__CUDA_ARCH__)
  // Mostly somebody was higher already; a plain look spares the queue at one address.
  if (static_cast<std::int64_t>(load_relaxed(reinterpret_cast<const std::uint64_t*>(at))) < value) {
    atomicMax(reinterpret_cast<long long*>(at), static_cast<long long>(value));
  }
#else
  std::int64_t seen = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (value > seen && !__atomic_compare_exchange_n(at, &seen, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
#endif
}

// Index of the lowest bit of a mask that is not 0.
WARPMETER_HD inline unsigned lowest_bit(std::uint32_t mask) {
#if defined(__CUDA_ARCH__)
  return static_cast<unsigned>(__ffs(static_cast<int>(mask)) - 1);
#else
  return static_cast<unsigned>(__builtin_ctz(mask));
#endif
}

WARPMETER_HD inline unsigned count_bits(std::uint32_t mask) {
#if defined(__CUDA_ARCH__)
  return static_cast<unsigned>(__popc(mask));
#else
  return static_cast<unsigned>(__builtin_popcount(mask));
#endif
}

}  // namespace warpmeter
