// Skippable frames, which zstd and lz4 share, before the first frame that tells which of the two it is. There may be
// gigabytes of them, in a pipe: they are passed over as they come, and nothing of them is kept.
#if WARPMETER_HAVE_ZSTD || WARPMETER_HAVE_LZ4

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "core/byte_order.h"
#include "packet/file/unpacker.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {
namespace {

// Bytes: a magic number; that and the length of what is skipped.
constexpr std::size_t kMagicBytes = 4, kSkippableHeader = 8;

class SkippingUnpacker : public Unpacker {
 public:
  Step unpack(std::span<const std::uint8_t> in, std::span<std::uint8_t> out) override {
    Step step;
    while (!behind_ && problem_.empty() && step.taken < in.size()) step.taken += skip(in.subspan(step.taken));
    if (!behind_) return step;
    if (replayed_ < kMagicBytes) {
      replayed_ += go_on({header_.data() + replayed_, kMagicBytes - replayed_}, out, step);
      return step;
    }
    step.taken += go_on(in.subspan(step.taken), out, step);
    return step;
  }

  bool at_border() const override {
    return behind_ ? replayed_ == kMagicBytes && behind_->at_border() : held_ == 0 && to_skip_ == 0;
  }

 private:
  // Takes from `in`, which is not empty, at most to the end of a header or of a frame.
  std::size_t skip(std::span<const std::uint8_t> in) {
    if (to_skip_ > 0) {
      const std::size_t skipped = std::min<std::uint64_t>(to_skip_, in.size());
      to_skip_ -= skipped;
      return skipped;
    }
    const std::size_t taken = std::min((held_ < kMagicBytes ? kMagicBytes : kSkippableHeader) - held_, in.size());
    std::memcpy(header_.data() + held_, in.data(), taken);
    held_ += taken;
    if (held_ == kMagicBytes) look();
    if (held_ < kSkippableHeader) return taken;
    to_skip_ = load<std::uint32_t>(header_.data() + kMagicBytes);
    held_ = 0;
    return taken;
  }

  void look() {
    const Compression found = compression_of_frame(load<std::uint32_t>(header_.data()));
    if (found == Compression::skippable) return;
    if (found == Compression::none) {
      problem_ = "neither follows the skippable frames";
      return;
    }
    try {
      behind_ = make_unpacker(found);
    } catch (const Error& error) {
      problem_ = error.what();
    }
  }

  // -> the bytes of `in` that were taken
  std::size_t go_on(std::span<const std::uint8_t> in, std::span<std::uint8_t> out, Step& step) {
    const Step next = behind_->unpack(in, out);
    step.given += next.given;
    problem_ = behind_->problem();
    return next.taken;
  }

  std::array<std::uint8_t, kSkippableHeader> header_ = {};
  std::size_t held_ = 0;       // bytes of header_ that are there
  std::uint64_t to_skip_ = 0;  // of the frame
  std::unique_ptr<Unpacker> behind_;
  std::size_t replayed_ = 0;  // bytes of header_ that it has got
};

}  // namespace

std::unique_ptr<Unpacker> make_skipping_unpacker() { return std::make_unique<SkippingUnpacker>(); }

}  // namespace warpmeter::inline packet

#endif
