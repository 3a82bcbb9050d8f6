// LZ4 frames and skippable frames, any number one after the other, as lz4(1) writes them. Source: LZ4 Frame Format
// Description 1.6.2; lz4frame.h.
#if WARPMETER_HAVE_LZ4

#include <lz4frame.h>

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "packet/file/block_unpacker.h"

namespace warpmeter::inline packet {
namespace {

constexpr std::size_t kFrameStart = 7;  // bytes: the shortest frame header
constexpr std::size_t kBlockHeader = 4, kBlockChecksum = 4;

class Lz4Unpacker : public BlockUnpacker {
 public:
  Lz4Unpacker() : BlockUnpacker(kFrameStart) {
    if (LZ4F_isError(LZ4F_createDecompressionContext(&context_, LZ4F_VERSION))) throw std::bad_alloc();
  }
  ~Lz4Unpacker() override { LZ4F_freeDecompressionContext(context_); }

  bool at_border() const override { return between_; }

 private:
  Step call(std::span<const std::uint8_t> in, std::span<std::uint8_t> out) override {
    Step step{in.size(), out.size()};
    const std::size_t result = LZ4F_decompress(context_, out.data(), &step.given, in.data(), &step.taken, nullptr);
    if (LZ4F_isError(result)) {
      problem_ = text_of(result);
      return {};
    }
    between_ = result == 0;
    later_frame_ |= between_;
    wanted_ = between_ ? kFrameStart : without_what_follows(result);
    full_ = !between_ && step.given == out.size();
    return step;
  }

  // What is wanted may end with the checksum of a block and the header of the next one: they come each alone.
  static std::size_t without_what_follows(std::size_t wanted) {
    if (wanted > kBlockHeader + kBlockChecksum) return wanted - kBlockHeader - kBlockChecksum;
    return wanted > kBlockHeader ? wanted - kBlockHeader : wanted;
  }

  // The library's names are those of its constants.
  std::string text_of(std::size_t result) const {
    const std::string name = LZ4F_getErrorName(result);
    if (name == "ERROR_frameType_unknown" && later_frame_) return "garbage behind the end";
    if (name == "ERROR_contentChecksum_invalid" || name == "ERROR_blockChecksum_invalid") return "wrong checksum";
    return "bad data (" + name + ")";
  }

  LZ4F_dctx* context_ = nullptr;
  bool between_ = false;      // frames
  bool later_frame_ = false;  // not the first one
};

}  // namespace

std::unique_ptr<Unpacker> make_lz4_unpacker() { return std::make_unique<Lz4Unpacker>(); }

}  // namespace warpmeter::inline packet

#endif
