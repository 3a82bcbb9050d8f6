// A regular file as a ByteSource: mapped once, whole. Pages that lie well behind are given back, so that the resident
// size stays flat however large the file is.
#pragma once

#include "capture/byte_source.h"

namespace warpmeter {

class MappedFile : public ByteSource {
 public:
  // Does not take over `fd`. Null if the file cannot be mapped (it may still be readable).
  static std::unique_ptr<MappedFile> map(int fd, std::uint64_t size);

  void lend_to(Owners* owners) override;
  std::uint64_t size() const override;

 private:
  struct Mapping;
  explicit MappedFile(std::shared_ptr<Mapping> mapping);
  bool grow(std::size_t) override { return false; }
  void drop_pages_behind();

  std::shared_ptr<Mapping> mapping_;
  std::uint64_t dropped_ = 0;  // pages before this offset were given back
};

}  // namespace warpmeter
