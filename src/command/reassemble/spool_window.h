// The bytes of a file that is complete, for who reads a little here and a little there: few small pages of it are in
// memory, so that a file of any size takes as little as a small one.
//
// Threads: one at a time. Errors: Error, naming the folder of the file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/files/temp_file.h"
#include "core/byte_sink.h"

namespace warpmeter::inline command {

class SpoolWindow {
 public:
  // `file` must outlive it, and not grow.
  SpoolWindow(const TempFile& file, std::uint64_t bytes);

  // REQUIRES: these lie in the file.
  void read(void* to, std::size_t bytes, std::uint64_t place);
  void copy(std::uint64_t place, std::uint64_t bytes, ByteSink& to);

 private:
  static constexpr std::size_t kPage = 4 << 10, kPages = 32;
  static constexpr std::size_t kLarge = 2 * kPage, kDirect = 64 << 10;  // so much is read past the pages, at once
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  const char* page(std::uint64_t number);
  void fetch(char* to, std::size_t bytes, std::uint64_t place) const;

  const TempFile& file_;
  const std::uint64_t bytes_;
  const std::unique_ptr<char[]> pages_;  // one behind the other
  const std::unique_ptr<char[]> direct_;
  std::array<std::uint64_t, kPages> numbers_;  // of each the page of the file that it has, or kNone
};

}  // namespace warpmeter::inline command
