// Compressed bytes, as the usual programs write them, in the formats that this build can unpack.
#pragma once

#if WARPMETER_HAVE_ZLIB
#include <zlib.h>
#endif
#if WARPMETER_HAVE_ZSTD
#include <zstd.h>
#endif
#if WARPMETER_HAVE_LZ4
#include <lz4frame.h>
#endif

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/byte_writer.h"

namespace warpmeter::test {

// `n` bytes that compress, but not to nothing.
inline Bytes plain_bytes(std::size_t n, std::uint32_t seed = 1) {
  Bytes bytes(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (i % 7 == 0) seed = seed * 1664525 + 1013904223;
    bytes[i] = static_cast<std::uint8_t>(i % 5 ? seed >> 24 : i / 100);
  }
  return bytes;
}

// A frame that zstd and lz4 pass over.
inline Bytes skippable(const Bytes& content) {
  ByteWriter out(std::endian::little);
  out.u32(0x184d2a53).u32(static_cast<std::uint32_t>(content.size()));
  return out.data() + content;
}

#if WARPMETER_HAVE_ZLIB
// One member. `extra`: its extra field.
inline Bytes gzip_of(const Bytes& plain, Bytes extra = {}) {
  z_stream stream{};
  gz_header header{};
  header.extra = extra.data();
  header.extra_len = static_cast<uInt>(extra.size());
  if (deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::runtime_error("zlib");
  if (!extra.empty()) deflateSetHeader(&stream, &header);
  Bytes packed(deflateBound(&stream, plain.size()) + 64);
  stream.next_in = const_cast<Bytef*>(plain.data());
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = packed.data();
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// As bgzip writes it: small members that tell their size, an empty one at the end.
inline Bytes bgzf_of(const Bytes& plain) {
  Bytes packed;
  for (std::size_t at = 0; at <= plain.size(); at += 60'000) {
    const auto begin = plain.begin() + static_cast<std::ptrdiff_t>(at);
    const Bytes part(begin, begin + static_cast<std::ptrdiff_t>(std::min<std::size_t>(60'000, plain.size() - at)));
    Bytes member = gzip_of(part, {'B', 'C', 2, 0, 0, 0});
    const std::size_t last = member.size() - 1;
    member[16] = static_cast<std::uint8_t>(last);
    member[17] = static_cast<std::uint8_t>(last >> 8);
    packed = std::move(packed) + member;
  }
  return packed + gzip_of({}, {'B', 'C', 2, 0, 27, 0});
}
#endif

#if WARPMETER_HAVE_ZSTD
inline Bytes zstd_of(const Bytes& plain) {
  Bytes packed(ZSTD_compressBound(plain.size()));
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  packed.resize(ZSTD_compress2(context, packed.data(), packed.size(), plain.data(), plain.size()));
  ZSTD_freeCCtx(context);
  return packed;
}
#endif

#if WARPMETER_HAVE_LZ4
inline Bytes lz4_of(const Bytes& plain) {
  LZ4F_preferences_t preferences{};
  preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
  preferences.frameInfo.blockSizeID = LZ4F_max64KB;
  Bytes packed(LZ4F_compressFrameBound(plain.size(), &preferences));
  packed.resize(LZ4F_compressFrame(packed.data(), packed.size(), plain.data(), plain.size(), &preferences));
  return packed;
}
#endif

struct Packer {
  std::string name;  // of the format
  Bytes (*pack)(const Bytes&);
};

inline std::vector<Packer> packers() {
  std::vector<Packer> all;
#if WARPMETER_HAVE_ZLIB
  all.push_back({"gzip", [](const Bytes& plain) { return gzip_of(plain); }});
#endif
#if WARPMETER_HAVE_ZSTD
  all.push_back({"zstd", zstd_of});
#endif
#if WARPMETER_HAVE_LZ4
  all.push_back({"lz4", lz4_of});
#endif
  return all;
}

}  // namespace warpmeter::test
