#include "stream/reassembly/block_buffers.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "core/prefetch.h"

namespace warpmeter::inline stream {
namespace {

constexpr std::size_t kSmallest = 512, kGrowth = 4;
// Of a class, that were given back and keep their slabs: as many bytes, but some at least.
constexpr std::size_t kRecentBytes = 64 << 10, kFewRecent = 2, kMostRecent = 16;
constexpr std::size_t kSegmentRoom = 2048;  // most segments are shorter
constexpr std::size_t kPage = 4096;         // slabs, and what is larger than the classes, are multiples of it

std::size_t in_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

}  // namespace

BlockBuffers::BlockBuffers(std::uint32_t block_size, std::pmr::memory_resource& memory, std::size_t most_free)
    : memory_(memory), most_free_(most_free) {
  const std::size_t block_room = block_size + kSegmentRoom;
  // As many to a slab as it has room for, and all of it theirs.
  const auto add = [this](std::size_t least) {
    const std::size_t slab_bytes = std::max(kSlab, in_pages(least)), in_slab = slab_bytes / least;
    const std::size_t room = slab_bytes / in_slab / kCacheLine * kCacheLine;
    const std::size_t most_recent = std::clamp(kRecentBytes / room, kFewRecent, kMostRecent);
    classes_.push_back(
        {room, slab_bytes, static_cast<std::uint32_t>(in_slab), most_recent, &free_[slab_bytes], {}, {}});
  };
  for (std::size_t room = kSmallest; room * 2 <= block_room; room *= kGrowth) add(room);
  add(block_room);
}

BlockBuffers::~BlockBuffers() {
  for (const Slab& slab : slabs_) memory_.deallocate(slab.data, slab.bytes, kPage);
}

// The smallest that holds so many; null: it is for take_large().
BlockBuffers::SizeClass* BlockBuffers::class_for(std::size_t bytes) {
  for (SizeClass& size_class : classes_) {
    if (size_class.room >= bytes) return &size_class;
  }
  return nullptr;
}

void BlockBuffers::open(SizeClass& size_class, std::uint32_t number) {
  slabs_[number].place = static_cast<std::uint32_t>(size_class.open.size());
  size_class.open.push_back(number);
}

void BlockBuffers::close(SizeClass& size_class, std::uint32_t number) {
  const std::uint32_t last = size_class.open.back(), place = slabs_[number].place;
  size_class.open[place] = last;
  slabs_[last].place = place;
  size_class.open.pop_back();
}

std::uint32_t BlockBuffers::begin_slab(SizeClass& size_class) {
  const std::size_t bytes = size_class.slab_bytes;
  Free& free = *size_class.free;
  std::uint32_t number = static_cast<std::uint32_t>(slabs_.size());
  if (!free.resident.empty()) {
    number = free.resident.back();
    free.resident.pop_back();
    free_bytes_ -= bytes;
  } else {
    if (free.gone.empty()) {
      slabs_.push_back({static_cast<std::uint8_t*>(memory_.allocate(bytes, kPage)), bytes, 0, 0, 0});
    } else {
      number = free.gone.back();
      free.gone.pop_back();
    }
    resident_ += bytes;
  }
  Slab& slab = slabs_[number];
  slab.free = ~std::uint64_t{0} >> (64 - size_class.in_slab);
  slab.unused = size_class.in_slab;
  open(size_class, number);
  return number;
}

void BlockBuffers::end_slab(SizeClass& size_class, std::uint32_t number) {
  const Slab& slab = slabs_[number];
  close(size_class, number);
  Free& free = *size_class.free;
  if (free_bytes_ + slab.bytes <= most_free_ || madvise(slab.data, slab.bytes, MADV_DONTNEED) != 0) {
    free.resident.push_back(number);
    free_bytes_ += slab.bytes;
  } else {
    free.gone.push_back(number);
    resident_ -= slab.bytes;
  }
}

BlockBuffers::Buffer BlockBuffers::take_large(std::size_t bytes) {
  std::size_t room = 2 * block_room();
  while (room < bytes) room *= 2;
  room = in_pages(room);
  auto owned = std::make_unique_for_overwrite<std::uint8_t[]>(room);
  std::uint8_t* const buffer = owned.get();
  large_.emplace(buffer, std::move(owned));
  return {buffer, static_cast<std::uint32_t>(room), 0};
}

BlockBuffers::Buffer BlockBuffers::take(std::size_t bytes) {
  SizeClass* const size_class = class_for(bytes);
  if (!size_class) return take_large(bytes);
  if (!size_class->recent.empty()) {
    const Buffer recent = size_class->recent.back();
    size_class->recent.pop_back();
    return recent;
  }
  const std::uint32_t number = size_class->open.empty() ? begin_slab(*size_class) : size_class->open.back();
  Slab& slab = slabs_[number];
  const auto which = static_cast<std::size_t>(std::countr_zero(slab.free));
  slab.free &= slab.free - 1;
  if (--slab.unused == 0) close(*size_class, number);
  return {slab.data + which * size_class->room, static_cast<std::uint32_t>(size_class->room), number};
}

void BlockBuffers::give_back(const Buffer& buffer) {
  SizeClass* const size_class = class_for(buffer.room);
  if (!size_class) {
    large_.erase(buffer.data);
    return;
  }
  std::vector<Buffer>& recent = size_class->recent;
  if (recent.size() == size_class->most_recent) {
    const auto half = recent.begin() + static_cast<std::ptrdiff_t>(recent.size() / 2);
    for (auto oldest = recent.begin(); oldest != half; ++oldest) give_to_slab(*size_class, *oldest);
    recent.erase(recent.begin(), half);
  }
  recent.push_back(buffer);
}

void BlockBuffers::give_to_slab(SizeClass& size_class, const Buffer& buffer) {
  Slab& slab = slabs_[buffer.slab];
  if (slab.unused == 0) open(size_class, buffer.slab);
  slab.free |= std::uint64_t{1} << static_cast<std::uint32_t>(buffer.data - slab.data) / buffer.room;
  if (++slab.unused == size_class.in_slab) end_slab(size_class, buffer.slab);
}

}  // namespace warpmeter::inline stream
