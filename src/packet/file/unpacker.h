// Unpacks compressed bytes, a piece after the other. One implementation a format.
//
// What is unpacked, and the problem that ends it, depend on the bytes alone and not on how they are cut into pieces.
//
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace warpmeter::inline packet {

class Unpacker {
 public:
  virtual ~Unpacker() = default;
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  struct Step {
    std::size_t taken = 0, given = 0;  // bytes of `in` and of `out`
  };

  // Goes on with `in` (empty: the bytes have ended, what is held back may come) into `out` (not empty). While neither
  // is used up it takes or gives something, or has a problem.
  virtual Step unpack(std::span<const std::uint8_t> in, std::span<std::uint8_t> out) = 0;

  // May the bytes end here?
  virtual bool at_border() const = 0;

  // Why nothing more can be unpacked, without the name of the format; empty while all is well.
  const std::string& problem() const { return problem_; }

 protected:
  Unpacker() = default;
  std::string problem_;
};

// For the formats that are built in.
std::unique_ptr<Unpacker> make_gzip_unpacker();
std::unique_ptr<Unpacker> make_zstd_unpacker();
std::unique_ptr<Unpacker> make_lz4_unpacker();
// Of skippable frames and what follows them, in either format; which one, their end tells.
std::unique_ptr<Unpacker> make_skipping_unpacker();

}  // namespace warpmeter::inline packet
