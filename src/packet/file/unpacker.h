// Which compression a file has, by its first bytes, and its unpacker: one implementation a format, of those that this
// build has, which unpacks a piece after the other.
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

#include "packet/file/byte_source.h"

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

// Which compression a file has, by its first bytes, and which ones this build can unpack.

// `skippable`: frames that zstd and lz4 share, and so many of them that what follows them is not seen yet.
enum class Compression { none, gzip, zstd, lz4, lz4_legacy, skippable, xz, bzip2 };

// Looks over skippable frames to what follows them, if that lies near.
Compression compression_of(ByteSource& source);

// Of zstd and lz4, by the first four bytes of a frame, little endian.
Compression compression_of_frame(std::uint32_t magic);

std::string name_of(Compression compression);

bool can_unpack(Compression compression);

// REQUIRES: not none. Throws Error, without the name of the file, where this build cannot unpack it.
std::unique_ptr<Unpacker> make_unpacker(Compression compression);

// What make_unpacker() has, for people: "gzip, zstd, lz4".
std::string unpacking_support();

}  // namespace warpmeter::inline packet
