// Which compression a file has, by its first bytes, and which ones this build can unpack.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "packet/file/byte_source.h"
#include "packet/file/unpacker.h"

namespace warpmeter::inline packet {

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
