#include "packet/segments/byte_planes.h"

#if WARPMETER_HAVE_ZSTD
#include <zstd.h>
#endif

#include <algorithm>
#include <cstring>

#include "warpmeter/status.h"

namespace warpmeter::inline packet {
namespace {

[[noreturn]] void fail() { throw Error("a column makes no sense"); }

constexpr std::size_t kSparse = 8;  // of so many bytes, at most one is not zero
constexpr std::uint8_t kMostZeros = 255;

constexpr std::size_t kHead = 2 * sizeof(std::uint32_t);  // before the joined planes

// A look at some bytes tells whether compressing the plane would save a third, and takes a tenth of the time. Of bytes
// at random two are alike in one case of 256; of those that save a third, in eight.
bool looks_random(const UnwrittenVector<std::uint8_t>& plane) {
  constexpr std::size_t kSample = 2048, kCases = 8;
  if (plane.size() < 2 * kSample) return false;
  std::uint16_t count[256] = {};
  const std::size_t step = plane.size() / kSample;
  for (std::size_t i = 0; i < kSample; ++i) ++count[plane[i * step]];
  std::uint64_t alike = 0;
  for (const std::uint64_t n : count) alike += n * (n - 1);
  return alike * 256 < kSample * (kSample - 1) * kCases;
}

std::span<const std::uint8_t> take(std::span<const std::uint8_t>& from, std::size_t bytes) {
  if (bytes > from.size()) fail();
  const auto taken = from.first(bytes);
  from = from.subspan(bytes);
  return taken;
}

std::uint32_t take_size(std::span<const std::uint8_t>& from) {
  std::uint32_t size = 0;
  std::memcpy(&size, take(from, sizeof size).data(), sizeof size);
  return size;
}

void put_size(std::uint8_t* to, std::size_t bytes) {
  const auto size = static_cast<std::uint32_t>(bytes);
  std::memcpy(to, &size, sizeof size);
}

}  // namespace

#if WARPMETER_HAVE_ZSTD
namespace {

// An entropy coder is what planes need: what repeats in them is gone already but for long rows. Measured with 4 M
// packets of TCP: a fifth faster than level 1 as it is, and no larger.
constexpr int kLevel = 1, kHashLog = 10, kShortestMatch = 7;

struct FreesContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

}  // namespace

bool planes_are_packed() { return true; }

struct PlaneWriter::Packer {
  std::unique_ptr<ZSTD_CCtx, FreesContext> context{ZSTD_createCCtx()};

  Packer() {
    if (!context) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_hashLog, kHashLog);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_minMatch, kShortestMatch);
  }

  // Returns how many bytes it came to; 0 if there is no room for them.
  std::size_t pack(const UnwrittenVector<std::uint8_t>& plane, std::uint8_t* to, std::size_t room) const {
    const std::size_t bytes = ZSTD_compress2(context.get(), to, room, plane.data(), plane.size());
    return ZSTD_isError(bytes) ? 0 : bytes;
  }
};

struct PlaneReader::Unpacker {
  std::unique_ptr<ZSTD_DCtx, FreesContext> context{ZSTD_createDCtx()};

  void unpack(std::span<const std::uint8_t> packed, UnwrittenVector<std::uint8_t>& plane) const {
    if (!context) throw std::bad_alloc();
    if (ZSTD_decompressDCtx(context.get(), plane.data(), plane.size(), packed.data(), packed.size()) != plane.size()) {
      fail();
    }
  }
};
#else
bool planes_are_packed() { return false; }

struct PlaneWriter::Packer {
  std::size_t pack(const UnwrittenVector<std::uint8_t>&, std::uint8_t*, std::size_t) const { return 0; }
};

struct PlaneReader::Unpacker {
  void unpack(std::span<const std::uint8_t>, UnwrittenVector<std::uint8_t>&) const {
    throw Error("its columns are compressed with zstd, which is not built in");
  }
};
#endif

PlaneWriter::PlaneWriter() : packer_(std::make_unique<Packer>()) {}
PlaneWriter::~PlaneWriter() = default;

void PlaneWriter::clear() {
  forms_.clear();
  joined_.clear();
  bytes_.clear();
}

void PlaneWriter::write_alike(std::uint8_t value) {
  forms_.push_back(static_cast<std::uint8_t>(PlaneForm::alike));
  forms_.push_back(value);
}

std::uint8_t* PlaneWriter::begin_plane(std::size_t bytes) {
  plane_.resize(bytes);
  return plane_.data();
}

void PlaneWriter::end_plane(Planes how) {
  const auto zeros = static_cast<std::size_t>(std::count(plane_.begin(), plane_.end(), 0));
  if (plane_.size() - zeros <= plane_.size() / kSparse) {
    write_sparse(plane_.size() - zeros);
  } else if (how == Planes::joined) {
    forms_.push_back(static_cast<std::uint8_t>(PlaneForm::joined));
    joined_.insert(joined_.end(), plane_.begin(), plane_.end());
  } else {
    write_apart();
  }
}

// `count`: of the bytes but zero.
void PlaneWriter::write_sparse(std::size_t count) {
  const std::size_t before = joined_.size();
  std::size_t zeros = 0;
  const std::uint8_t* at = plane_.data();
  for (std::size_t i = 0; i < count; ++i) {
    for (zeros = 0; *at == 0; ++at) {
      if (++zeros < kMostZeros) continue;
      joined_.push_back(kMostZeros);
      joined_.push_back(0);
      zeros = 0;
    }
    joined_.push_back(static_cast<std::uint8_t>(zeros));
    joined_.push_back(*at++);
  }
  forms_.resize(forms_.size() + 5);
  forms_[forms_.size() - 5] = static_cast<std::uint8_t>(PlaneForm::sparse);
  put_size(&forms_[forms_.size() - 4], joined_.size() - before);
}

void PlaneWriter::write_apart() {
  const std::size_t begin = forms_.size();
  forms_.resize(begin + 5 + plane_.size());
  std::uint8_t* const to = forms_.data() + begin;
  const std::size_t packed = looks_random(plane_) ? 0 : packer_->pack(plane_, to + 5, plane_.size() - 1);
  if (packed > 0 && packed + sizeof(std::uint32_t) < plane_.size()) {
    to[0] = static_cast<std::uint8_t>(PlaneForm::packed);
    put_size(to + 1, packed);
    forms_.resize(begin + 5 + packed);
  } else {
    to[0] = static_cast<std::uint8_t>(PlaneForm::bytes);
    std::memcpy(to + 1, plane_.data(), plane_.size());
    forms_.resize(begin + 1 + plane_.size());
  }
}

std::span<const std::uint8_t> PlaneWriter::finish() {
  bytes_.resize(kHead + joined_.size());
  std::uint8_t* const to = bytes_.data() + kHead;
  const std::size_t packed = joined_.size() < 2 ? 0 : packer_->pack(joined_, to, joined_.size() - 1);
  if (packed == 0) std::copy(joined_.begin(), joined_.end(), to);
  put_size(bytes_.data(), joined_.size());
  put_size(bytes_.data() + sizeof(std::uint32_t), packed);
  if (packed > 0) bytes_.resize(kHead + packed);
  bytes_.insert(bytes_.end(), forms_.begin(), forms_.end());
  return bytes_;
}

PlaneReader::PlaneReader() : unpacker_(std::make_unique<Unpacker>()) {}
PlaneReader::~PlaneReader() = default;

void PlaneReader::begin(std::span<const std::uint8_t> bytes, std::size_t most) {
  rest_ = bytes;
  const std::uint32_t joined = take_size(rest_), packed = take_size(rest_);
  if (joined > most) fail();
  if (packed == 0) {
    joined_ = take(rest_, joined);
    return;
  }
  unpacked_.resize(joined);
  unpacker_->unpack(take(rest_, packed), unpacked_);
  joined_ = unpacked_;
}

void PlaneReader::read_sparse(std::size_t count, Bytes& plane) {
  const auto pairs = take(joined_, take_size(rest_));
  if (pairs.size() % 2 != 0) fail();
  plane.resize(count);
  std::fill(plane.begin(), plane.end(), 0);
  std::size_t at = 0;
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    at += pairs[i];
    if (pairs[i + 1] == 0 && pairs[i] == kMostZeros) continue;
    if (at >= count) fail();
    plane[at++] = pairs[i + 1];
  }
}

const std::uint8_t* PlaneReader::next_plane(std::size_t count, std::uint8_t& alike, Bytes& room) {
  switch (static_cast<PlaneForm>(take(rest_, 1)[0])) {
    case PlaneForm::alike: alike = take(rest_, 1)[0]; return nullptr;
    case PlaneForm::bytes: return take(rest_, count).data();
    case PlaneForm::joined: return take(joined_, count).data();
    case PlaneForm::sparse: read_sparse(count, room); return room.data();
    case PlaneForm::packed: {
      const auto packed = take(rest_, take_size(rest_));
      room.resize(count);
      unpacker_->unpack(packed, room);
      return room.data();
    }
  }
  fail();
}

}  // namespace warpmeter::inline packet
