#include "pipeline/metering_process.h"

#include <random>

namespace warpmeter {

std::uint64_t random_hash_seed() {
  std::random_device device;
  return static_cast<std::uint64_t>(device()) << 32 | device();
}

}  // namespace warpmeter
