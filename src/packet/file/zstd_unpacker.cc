// Zstandard: any number of frames and skippable frames one after the other, as zstd(1) and pzstd write them. Source:
// RFC 8878; zstd.h.
#if WARPMETER_HAVE_ZSTD

#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "core/byte_order.h"
#include "packet/file/block_unpacker.h"

namespace warpmeter::inline packet {
namespace {

constexpr std::size_t kMagic = 4;            // bytes
constexpr std::size_t kZstdBlockHeader = 3;  // what is wanted ends with that of the next block, which may be a bad one

bool is_magic(std::uint32_t first4) {
  const Compression frame = compression_of_frame(first4);
  return frame == Compression::zstd || frame == Compression::skippable;
}

class ZstdUnpacker : public BlockUnpacker {
 public:
  ZstdUnpacker() : BlockUnpacker(kMagic), stream_(ZSTD_createDStream()) {
    if (!stream_) throw std::bad_alloc();
    ZSTD_initDStream(stream_);
  }
  ~ZstdUnpacker() override { ZSTD_freeDStream(stream_); }

  bool at_border() const override { return between_; }

 private:
  Step call(std::span<const std::uint8_t> in, std::span<std::uint8_t> out) override {
    // The library takes frames of its early versions too, with decoders that nobody tests any more. They are none.
    if (begins_frame_ && in.size() >= kMagic && !is_magic(load<std::uint32_t>(in.data()))) {
      problem_ = text_of_code(ZSTD_error_prefix_unknown);
      return {};
    }
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const std::size_t result = ZSTD_decompressStream(stream_, &to, &from);
    if (ZSTD_isError(result)) {
      problem_ = text_of_code(ZSTD_getErrorCode(result));
      return {};
    }
    between_ = result == 0;
    begins_frame_ = between_;
    later_frame_ |= between_;
    wanted_ = between_ ? kMagic : result > kZstdBlockHeader ? result - kZstdBlockHeader : result;
    full_ = !between_ && to.pos == to.size;
    return {from.pos, to.pos};
  }

  std::string text_of_code(ZSTD_ErrorCode code) const {
    if (code == ZSTD_error_prefix_unknown && later_frame_) return "garbage behind the end";
    if (code == ZSTD_error_frameParameter_windowTooLarge) {
      return "its window is larger than 128 MiB (packed with --long=28 or more)";
    }
    return ZSTD_getErrorString(code);
  }

  ZSTD_DStream* const stream_;
  bool begins_frame_ = true;
  bool between_ = false;      // frames
  bool later_frame_ = false;  // not the first one
};

}  // namespace

std::unique_ptr<Unpacker> make_zstd_unpacker() { return std::make_unique<ZstdUnpacker>(); }

}  // namespace warpmeter::inline packet

#endif
