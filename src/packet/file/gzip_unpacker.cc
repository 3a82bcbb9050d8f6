// gzip: any number of members one after the other, as gzip(1), pigz and bgzip write them, and zeros behind the last
// one, as tapes leave them. Source: RFC 1952; zlib.h.
#if WARPMETER_HAVE_ZLIB

#define ZLIB_CONST
#include <zlib.h>

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "packet/file/unpacker.h"

namespace warpmeter::inline packet {
namespace {

constexpr int kGzipOnly = 15 + 16;  // the largest window, with gzip's header

class GzipUnpacker : public Unpacker {
 public:
  GzipUnpacker() {
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~GzipUnpacker() override { inflateEnd(&stream_); }

  Step unpack(std::span<const std::uint8_t> in, std::span<std::uint8_t> out) override {
    if (between_ && (in.empty() || !begin_member(in.front()))) return {skip_zeros(in), 0};
    stream_.next_in = in.data();
    stream_.avail_in = static_cast<uInt>(in.size());
    stream_.next_out = out.data();
    stream_.avail_out = static_cast<uInt>(out.size());
    const int result = inflate(&stream_, Z_NO_FLUSH);
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result == Z_STREAM_END) between_ = true;
    else if (result != Z_OK && result != Z_BUF_ERROR) problem_ = text_of(result);
    return {in.size() - stream_.avail_in, out.size() - stream_.avail_out};
  }

  bool at_border() const override { return between_; }

 private:
  bool begin_member(std::uint8_t first) {
    if (first == 0 || padding_) return false;
    between_ = false;
    later_member_ = true;
    inflateReset(&stream_);
    return true;
  }

  std::size_t skip_zeros(std::span<const std::uint8_t> in) {
    padding_ |= !in.empty();
    const auto end = std::find_if(in.begin(), in.end(), [](std::uint8_t byte) { return byte != 0; });
    if (end != in.end()) problem_ = "garbage behind the end";
    return static_cast<std::size_t>(end - in.begin());
  }

  std::string text_of(int result) const {
    if (later_member_ && stream_.total_out == 0 && stream_.total_in <= 2) return "garbage behind the end";
    return stream_.msg ? stream_.msg : zError(result);
  }

  z_stream stream_{};
  bool between_ = false;       // members
  bool later_member_ = false;  // not the first one
  bool padding_ = false;
};

}  // namespace

std::unique_ptr<Unpacker> make_gzip_unpacker() { return std::make_unique<GzipUnpacker>(); }

}  // namespace warpmeter::inline packet

#endif
