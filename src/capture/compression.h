// Which compression a file has, by its first bytes, and which ones this build can unpack.
#pragma once

#include <memory>
#include <string>

#include "capture/byte_source.h"
#include "capture/unpacker.h"

namespace warpmeter {

enum class Compression { none, gzip, zstd, lz4, lz4_legacy };

// Looks over skippable frames, which zstd and lz4 share, to what follows them.
Compression compression_of(ByteSource& source);

std::string name_of(Compression compression);

bool can_unpack(Compression compression);

// REQUIRES: not none. Throws Error, without the name of the file, where this build cannot unpack it.
std::unique_ptr<Unpacker> make_unpacker(Compression compression);

// What make_unpacker() has, for people: "gzip, zstd, lz4".
std::string unpacking_support();

}  // namespace warpmeter
