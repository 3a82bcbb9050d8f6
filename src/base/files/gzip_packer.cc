#if WARPMETER_HAVE_ZLIB
#include <zlib.h>

#include <algorithm>
#include <deque>
#include <future>
#include <string>
#include <system_error>
#include <utility>

#include "base/files/packer.h"
#include "warpmeter/status.h"

namespace warpmeter::inline base {
namespace {

constexpr int kGzipLevel = 6;  // gzip's own
constexpr std::size_t kWindow = 32 << 10;
constexpr std::string_view kGzipHeader("\x1f\x8b\x08\0\0\0\0\0\0\x03",
                                       10);  // no name and no time: the same bytes each time

struct Packed {
  std::string bytes;
  uLong checksum = 0;  // of the block before it was packed
  std::size_t plain = 0;
};

// A block on its own, knowing the window before it. Blocks but the last end at a byte, so that they can be put
// together.
Packed deflated(const std::string& window, const std::string& block, bool last) {
  z_stream stream{};
  if (deflateInit2(&stream, kGzipLevel, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw Error("gzip: no memory");
  }
  const auto bytes_of = [](const std::string& text) { return reinterpret_cast<const Bytef*>(text.data()); };
  if (!window.empty()) deflateSetDictionary(&stream, bytes_of(window), static_cast<uInt>(window.size()));
  constexpr std::size_t kRoomForFlush = 64;
  Packed packed;
  packed.bytes.resize(deflateBound(&stream, static_cast<uLong>(block.size())) + kRoomForFlush);
  stream.next_in = const_cast<Bytef*>(bytes_of(block));
  stream.avail_in = static_cast<uInt>(block.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.bytes.data());
  stream.avail_out = static_cast<uInt>(packed.bytes.size());
  const int result = deflate(&stream, last ? Z_FINISH : Z_SYNC_FLUSH);
  const bool done = result == (last ? Z_STREAM_END : Z_OK) && stream.avail_in == 0 && stream.avail_out > 0;
  packed.bytes.erase(stream.total_out);
  deflateEnd(&stream);
  if (!done) throw Error("gzip: cannot be compressed");
  packed.checksum = crc32(crc32(0, nullptr, 0), bytes_of(block), static_cast<uInt>(block.size()));
  packed.plain = block.size();
  return packed;
}

class GzipPacker : public Packer {
 public:
  GzipPacker(unsigned threads, Output output) : Packer(std::move(output)), threads_(std::max(threads, 1u)) {}

 private:
  std::uint64_t most_in_work() const override { return std::uint64_t{threads_} * kBlock; }

  // A thread a block: starting one takes a thousandth of the time of compressing one.
  void pack(std::string_view block, bool last) override {
    if (!has_header_) put(kGzipHeader.data(), kGzipHeader.size());
    has_header_ = true;
    if (last) {
      while (!in_flight_.empty()) take_first();
      append(deflated(window_, std::string(block), true));
      put_little_endian(checksum_);
      put_little_endian(size_);
      return;
    }
    if (in_flight_.size() == threads_) take_first();
    in_flight_.push_back(begun(block));
    window_.assign(block.substr(block.size() - std::min(block.size(), kWindow)));
  }

  // Where no thread can be had, take_first() compresses.
  std::future<Packed> begun(std::string_view block) const {
    try {
      return std::async(std::launch::async, deflated, window_, std::string(block), false);
    } catch (const std::system_error&) {
      return std::async(std::launch::deferred, deflated, window_, std::string(block), false);
    }
  }

  void take_first() {
    const Packed packed = in_flight_.front().get();
    in_flight_.pop_front();
    append(packed);
  }

  void append(const Packed& packed) {
    put(packed.bytes.data(), packed.bytes.size());
    checksum_ = crc32_combine(checksum_, packed.checksum, static_cast<z_off_t>(packed.plain));
    size_ += packed.plain;
  }

  void put_little_endian(std::uint64_t value) {
    char bytes[4];
    for (int i = 0; i < 4; ++i) bytes[i] = static_cast<char>(value >> 8 * i);
    put(bytes, sizeof bytes);
  }

  const unsigned threads_;
  bool has_header_ = false;
  std::string window_;  // the end of the block before
  uLong checksum_ = crc32(0, nullptr, 0);
  std::uint64_t size_ = 0;
  std::deque<std::future<Packed>> in_flight_;
};

}  // namespace

std::unique_ptr<Packer> make_gzip_packer(unsigned threads, Packer::Output output) {
  return std::make_unique<GzipPacker>(threads, std::move(output));
}

}  // namespace warpmeter::inline base
#endif
