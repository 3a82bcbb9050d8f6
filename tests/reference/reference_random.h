// Random draws that are the same on every machine: the engine is fixed by the standard, the mappings are written out
// here, because the standard's distributions differ between libraries.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <vector>

namespace reference {

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}

  uint64_t bits() { return engine_(); }

  // 0 .. count - 1; the bias of the remainder does not matter here. count > 0.
  uint64_t below(uint64_t count) { return engine_() % count; }
  bool percent(uint64_t chance) { return below(100) < chance; }

  template <typename T>
  T pick(std::initializer_list<T> choices) {
    return choices.begin()[below(choices.size())];
  }
  template <typename T>
  const T& pick(const std::vector<T>& choices) {
    return choices[below(choices.size())];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace reference
