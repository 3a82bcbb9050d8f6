#if WARPMETER_HAVE_ZSTD
#include <zstd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/files/packer.h"
#include "warpmeter/status.h"

namespace warpmeter::inline base {
namespace {

constexpr int kZstdLevel = 3;          // zstd's own
constexpr int kJob = 2 << 20;          // bytes that one of its threads compresses at a time
constexpr unsigned kMostThreads = 16;  // each takes a few jobs of memory

void check(std::size_t result) {
  if (ZSTD_isError(result)) throw Error(std::string("zstd: ") + ZSTD_getErrorName(result));
}

// The library has threads of its own. They are used even if there is to be one alone: without any it would make other
// bytes. Builds of it that have none make the same bytes each time too.
class ZstdPacker : public Packer {
 public:
  ZstdPacker(unsigned threads, Output output) : Packer(std::move(output)), context_(ZSTD_createCCtx(), ZSTD_freeCCtx) {
    if (!context_) throw Error("zstd: no memory");
    ZSTD_CCtx* const c = context_.get();
    check(ZSTD_CCtx_setParameter(c, ZSTD_c_compressionLevel, kZstdLevel));
    check(ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1));
    const auto workers = static_cast<int>(std::clamp(threads, 1u, kMostThreads));
    if (!ZSTD_isError(ZSTD_CCtx_setParameter(c, ZSTD_c_nbWorkers, workers))) {
      check(ZSTD_CCtx_setParameter(c, ZSTD_c_jobSize, kJob));
    }
    jobs_ = static_cast<std::uint64_t>(workers);
    packed_.resize(ZSTD_CStreamOutSize());
  }

 private:
  // A job for each of its threads; those that wait, and one that is being filled.
  std::uint64_t most_in_work() const override { return (2 * jobs_ + 2) * kJob; }

  void pack(std::string_view block, bool last) override {
    ZSTD_inBuffer in{block.data(), block.size(), 0};
    for (bool done = false; !done;) {
      ZSTD_outBuffer out{packed_.data(), packed_.size(), 0};
      const std::size_t left = ZSTD_compressStream2(context_.get(), &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
      check(left);
      put(packed_.data(), out.pos);
      done = last ? left == 0 : in.pos == in.size;
    }
  }

  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context_;
  std::string packed_;
  std::uint64_t jobs_ = 1;
};

}  // namespace

std::unique_ptr<Packer> make_zstd_packer(unsigned threads, Packer::Output output) {
  return std::make_unique<ZstdPacker>(threads, std::move(output));
}

}  // namespace warpmeter::inline base
#endif
