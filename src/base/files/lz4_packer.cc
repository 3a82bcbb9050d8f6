#if WARPMETER_HAVE_LZ4
#include <lz4frame.h>

#include <string>
#include <utility>

#include "base/files/packer.h"
#include "warpmeter/status.h"

namespace warpmeter::inline base {
namespace {

std::size_t checked(std::size_t result) {
  if (LZ4F_isError(result)) throw Error(std::string("lz4: ") + LZ4F_getErrorName(result));
  return result;
}

LZ4F_cctx* new_context() {
  LZ4F_cctx* context = nullptr;
  checked(LZ4F_createCompressionContext(&context, LZ4F_VERSION));
  return context;
}

// One thread is as fast as what it waits for.
class Lz4Packer : public Packer {
 public:
  explicit Lz4Packer(Output output) : Packer(std::move(output)), context_(new_context(), LZ4F_freeCompressionContext) {
    preferences_.frameInfo.blockSizeID = LZ4F_max256KB;
    preferences_.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
    packed_.resize(LZ4F_compressBound(kBlock, &preferences_) + LZ4F_HEADER_SIZE_MAX);
  }

 private:
  std::uint64_t most_in_work() const override { return kBlock; }

  void pack(std::string_view block, bool last) override {
    if (!begun_)
      put(packed_.data(), checked(LZ4F_compressBegin(context_.get(), packed_.data(), packed_.size(), &preferences_)));
    begun_ = true;
    put(packed_.data(), checked(LZ4F_compressUpdate(context_.get(), packed_.data(), packed_.size(), block.data(),
                                                    block.size(), nullptr)));
    if (last) put(packed_.data(), checked(LZ4F_compressEnd(context_.get(), packed_.data(), packed_.size(), nullptr)));
  }

  const std::unique_ptr<LZ4F_cctx, decltype(&LZ4F_freeCompressionContext)> context_;
  LZ4F_preferences_t preferences_ = {};
  bool begun_ = false;
  std::string packed_;
};

}  // namespace

std::unique_ptr<Packer> make_lz4_packer(Packer::Output output) {
  return std::make_unique<Lz4Packer>(std::move(output));
}

}  // namespace warpmeter::inline base
#endif
