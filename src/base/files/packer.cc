#include "base/files/packer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/files/file_name.h"

namespace warpmeter::inline base {
namespace {

struct Kind {
  Packing packing;
  std::string_view suffix;
  const char* name;
  const char* library;
  bool built_in;
};

#if WARPMETER_HAVE_ZLIB
constexpr bool kHaveGzip = true;
#else
constexpr bool kHaveGzip = false;
#endif
#if WARPMETER_HAVE_ZSTD
constexpr bool kHaveZstd = true;
#else
constexpr bool kHaveZstd = false;
#endif
#if WARPMETER_HAVE_LZ4
constexpr bool kHaveLz4 = true;
#else
constexpr bool kHaveLz4 = false;
#endif

constexpr Kind kKinds[] = {{Packing::gzip, ".gz", "gzip", "zlib", kHaveGzip},
                           {Packing::zstd, ".zst", "zstd", "libzstd", kHaveZstd},
                           {Packing::lz4, ".lz4", "lz4", "liblz4", kHaveLz4}};

}  // namespace

#if !WARPMETER_HAVE_ZLIB
std::unique_ptr<Packer> make_gzip_packer(unsigned, Packer::Output) { return nullptr; }
#endif
#if !WARPMETER_HAVE_ZSTD
std::unique_ptr<Packer> make_zstd_packer(unsigned, Packer::Output) { return nullptr; }
#endif
#if !WARPMETER_HAVE_LZ4
std::unique_ptr<Packer> make_lz4_packer(Packer::Output) { return nullptr; }
#endif

std::string_view suffix_of(Packing packing) {
  for (const Kind& kind : kKinds) {
    if (kind.packing == packing) return kind.suffix;
  }
  return "";
}

Packing packing_of(std::string_view name) {
  for (const Kind& kind : kKinds) {
    if (has_ending(name, kind.suffix)) return kind.packing;
  }
  return Packing::none;
}

std::string why_not_packed(Packing packing) {
  for (const Kind& kind : kKinds) {
    if (kind.packing == packing && !kind.built_in) {
      return std::string(kind.name) + " is not built in: " + kind.library +
             " was not there (tools/setup build gets it)";
    }
  }
  return "";
}

Packer::Packer(Output output) : output_(std::move(output)), block_(new char[kBlock]) {}

// A full block waits until there is more: the last one is never empty unless all is.
void Packer::write(const char* bytes, std::size_t count) {
  while (count > 0) {
    if (fill_ == kBlock) {
      pack({block_.get(), fill_}, false);
      fill_ = 0;
    }
    const std::size_t taken = std::min(count, kBlock - fill_);
    std::memcpy(block_.get() + fill_, bytes, taken);
    fill_ += taken;
    bytes += taken;
    count -= taken;
  }
}

void Packer::end() { pack({block_.get(), fill_}, true); }

std::unique_ptr<Packer> make_packer(Packing packing, unsigned threads, Packer::Output output) {
  switch (packing) {
    case Packing::gzip: return make_gzip_packer(threads, std::move(output));
    case Packing::zstd: return make_zstd_packer(threads, std::move(output));
    case Packing::lz4: return make_lz4_packer(std::move(output));
    case Packing::none: break;
  }
  return nullptr;
}

}  // namespace warpmeter::inline base
