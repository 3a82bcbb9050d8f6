#include "payload.h"

#include <cstring>

#include "seeded_random.h"

namespace traffic_gen {

Payload::Payload() {
  Random random(20'240'229);
  for (size_t i = 0; i < kPeriod; i++) bytes_[i] = static_cast<uint8_t>(i % 64 == 63 ? '\n' : random.between('a', 'z'));
  for (size_t i = kPeriod; i < bytes_.size(); i++) bytes_[i] = bytes_[i - kPeriod];
  for (size_t parity = 0; parity < 2; parity++) {
    before_[parity][0] = 0;
    for (size_t i = 0; i < kPeriod; i++) {
      const uint32_t weight = i % 2 == parity ? 256 : 1;
      before_[parity][i + 1] = before_[parity][i] + bytes_[i] * weight;
    }
  }
}

void Payload::copy(uint8_t* out, uint64_t offset, size_t length) const {
  std::memcpy(out, bytes_.data() + offset % kPeriod, length);
}

uint64_t Payload::sum(uint64_t offset, size_t length) const {
  const auto& before = before_[offset % 2];  // the period is even, so parity holds across it
  const size_t start = offset % kPeriod, end = start + length;
  return uint64_t{before[kPeriod]} * (end / kPeriod) + before[end % kPeriod] - before[start];
}

}  // namespace traffic_gen
