#include "packet/file/unpacker.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "core/byte_order.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {
namespace {

constexpr std::uint32_t kGzip = 0x1f8b;  // two bytes, big endian; the others are little endian
constexpr std::uint32_t kZstd = 0xfd2fb528;
constexpr std::uint32_t kLz4 = 0x184d2204;
constexpr std::uint32_t kLz4Legacy = 0x184c2102;
constexpr std::uint32_t kSkippable = 0x184d2a50;  // and the 15 numbers behind it
constexpr std::uint32_t kSkippableMask = 0xfffffff0;

constexpr std::string_view kXz(
    "\xfd"
    "7zXZ\0",
    6);
constexpr std::size_t kBzip2Look = 10;

// Farther than this nobody looks for what follows skippable frames.
constexpr std::size_t kLookOver = 1 << 20;

struct Format {
  Compression compression;
  const char* name;
  std::unique_ptr<Unpacker> (*make)();  // null: not built in
  const char* library;
};

#if WARPMETER_HAVE_ZLIB
constexpr auto kMakeGzip = make_gzip_unpacker;
#else
constexpr std::unique_ptr<Unpacker> (*kMakeGzip)() = nullptr;
#endif
#if WARPMETER_HAVE_ZSTD
constexpr auto kMakeZstd = make_zstd_unpacker;
#else
constexpr std::unique_ptr<Unpacker> (*kMakeZstd)() = nullptr;
#endif
#if WARPMETER_HAVE_LZ4
constexpr auto kMakeLz4 = make_lz4_unpacker;
#else
constexpr std::unique_ptr<Unpacker> (*kMakeLz4)() = nullptr;
#endif

#if WARPMETER_HAVE_ZSTD || WARPMETER_HAVE_LZ4
constexpr auto kMakeEither = make_skipping_unpacker;
#else
constexpr std::unique_ptr<Unpacker> (*kMakeEither)() = nullptr;
#endif

constexpr std::array<Format, 3> kFormats = {{{Compression::gzip, "gzip", kMakeGzip, "zlib"},
                                             {Compression::zstd, "zstd", kMakeZstd, "libzstd"},
                                             {Compression::lz4, "lz4", kMakeLz4, "liblz4"}}};
constexpr Format kEither = {Compression::skippable, "zstd or lz4", kMakeEither, "libzstd or liblz4"};

const Format* format_of(Compression compression) {
  if (compression == Compression::skippable) return &kEither;
  const auto found =
      std::find_if(kFormats.begin(), kFormats.end(), [&](const Format& f) { return f.compression == compression; });
  return found == kFormats.end() ? nullptr : &*found;
}

// Where the first frame that is not skippable begins; where that is far away or there is none, the last one seen.
std::size_t skippable_bytes(ByteSource& source) {
  std::size_t at = 0, next = 0;
  while (next < kLookOver && source.need(next + 4)) {
    at = next;
    if (compression_of_frame(load<std::uint32_t>(source.at() + at)) != Compression::skippable) return at;
    if (!source.need(at + 8)) return at;
    next = at + 8 + load<std::uint32_t>(source.at() + at + 4);
  }
  return at;
}

}  // namespace

namespace {

// "BZh", how large blocks are, and the beginning of the first, or of the end where there is none.
bool is_bzip2(ByteSource& source) {
  if (!source.need(kBzip2Look)) return false;
  const std::string_view begin(reinterpret_cast<const char*>(source.at()), kBzip2Look);
  return begin.starts_with("BZh") && begin[3] >= '1' && begin[3] <= '9' &&
         (begin.substr(4) == "\x31\x41\x59\x26\x53\x59" || begin.substr(4) == "\x17\x72\x45\x38\x50\x90");
}

}  // namespace

Compression compression_of(ByteSource& source) {
  if (source.need(2) && load_be16(source.at()) == kGzip) return Compression::gzip;
  if (!source.need(4)) return Compression::none;
  if (source.need(kXz.size()) && std::memcmp(source.at(), kXz.data(), kXz.size()) == 0) return Compression::xz;
  if (is_bzip2(source)) return Compression::bzip2;
  const std::size_t at = skippable_bytes(source);
  return compression_of_frame(load<std::uint32_t>(source.at() + at));
}

Compression compression_of_frame(std::uint32_t magic) {
  switch (magic) {
    case kZstd: return Compression::zstd;
    case kLz4: return Compression::lz4;
    case kLz4Legacy: return Compression::lz4_legacy;
    default: return (magic & kSkippableMask) == kSkippable ? Compression::skippable : Compression::none;
  }
}

std::string name_of(Compression compression) {
  const Format* const format = format_of(compression);
  if (format) return format->name;
  switch (compression) {
    case Compression::lz4_legacy: return "lz4 legacy";
    case Compression::xz: return "xz";
    case Compression::bzip2: return "bzip2";
    default: return "";
  }
}

bool can_unpack(Compression compression) {
  const Format* const format = format_of(compression);
  return format && format->make;
}

std::unique_ptr<Unpacker> make_unpacker(Compression compression) {
  const Format* const format = format_of(compression);
  if (compression == Compression::lz4_legacy) {
    throw Error("lz4-compressed in the legacy format (lz4 -l), which is not read");
  }
  if (!format) {
    const std::string name = name_of(compression);
    throw Error(name + "-compressed, which is not read (" + name + " -dc FILE | warpmeter ... - reads it)");
  }
  if (!format->make)
    throw Error(std::string(format->name) + "-compressed, which needs a build with " + format->library);
  return format->make();
}

std::string unpacking_support() {
  std::string names;
  for (const Format& format : kFormats) {
    if (format.make) names += (names.empty() ? "" : ", ") + std::string(format.name);
  }
  return names.empty() ? "not built in (no zlib, libzstd, liblz4)" : names;
}

}  // namespace warpmeter::inline packet
