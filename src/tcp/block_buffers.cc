#include "tcp/block_buffers.h"

#include <algorithm>
#include <utility>

#include "core/prefetch.h"

namespace warpmeter {
namespace {

constexpr std::size_t kSmallest = 512, kGrowth = 4;
constexpr std::size_t kSegmentRoom = 2048;  // most segments are shorter
constexpr std::size_t kPage = 4096;         // what is larger than the classes is a multiple of it

}  // namespace

BlockBuffers::BlockBuffers(std::uint32_t block_size, std::pmr::memory_resource& memory)
    : memory_(memory), block_room_(block_size + kSegmentRoom) {
  for (std::size_t room = kSmallest; room * 2 <= block_room_; room *= kGrowth) classes_.push_back({room, {}});
  classes_.push_back({block_room_, {}});
}

BlockBuffers::~BlockBuffers() {
  for (const Slab& slab : slabs_) memory_.deallocate(slab.data, slab.size, kCacheLine);
}

std::size_t BlockBuffers::room_for(std::size_t bytes) const {
  for (const SizeClass& size_class : classes_) {
    if (size_class.room >= bytes) return size_class.room;
  }
  std::size_t room = 2 * block_room_;
  while (room < bytes) room *= 2;
  return (room + kPage - 1) / kPage * kPage;
}

BlockBuffers::SizeClass* BlockBuffers::class_of(std::size_t room) {
  const auto found = std::ranges::find(classes_, room, &SizeClass::room);
  return found == classes_.end() ? nullptr : &*found;
}

void BlockBuffers::refill(SizeClass& size_class) {
  const std::size_t count = std::max<std::size_t>(kSlab / size_class.room, 1);
  if (slabs_.size() == slabs_.capacity()) slabs_.reserve(2 * slabs_.size() + 1);
  auto* const data = static_cast<std::uint8_t*>(memory_.allocate(count * size_class.room, kCacheLine));
  slabs_.push_back({data, count * size_class.room});
  for (std::size_t i = count; i-- > 0;) size_class.free.push_back(data + i * size_class.room);
}

std::uint8_t* BlockBuffers::take_large(std::size_t room) {
  auto owned = std::make_unique_for_overwrite<std::uint8_t[]>(room);
  std::uint8_t* const buffer = owned.get();
  large_.emplace(buffer, std::move(owned));
  return buffer;
}

std::uint8_t* BlockBuffers::take(std::size_t room) {
  SizeClass* const size_class = class_of(room);
  if (!size_class) return take_large(room);
  if (size_class->free.empty()) refill(*size_class);
  std::uint8_t* const buffer = size_class->free.back();
  size_class->free.pop_back();
  return buffer;
}

void BlockBuffers::give_back(std::uint8_t* buffer, std::size_t room) {
  SizeClass* const size_class = class_of(room);
  if (size_class) size_class->free.push_back(buffer);
  else large_.erase(buffer);
}

}  // namespace warpmeter
