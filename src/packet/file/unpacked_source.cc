#include "packet/file/unpacked_source.h"

#include <cstring>
#include <utility>

#include "packet/file/compression.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {

UnpackedSource::UnpackedSource(std::unique_ptr<ByteSource> packed, std::unique_ptr<Unpacker> unpacker,
                               std::string format)
    : format_(std::move(format)), unpacking_(std::move(packed), std::move(unpacker)) {}

void UnpackedSource::lend_to(Leases* leases) {
  leases_ = leases;
  if (leases && buffer_) leases->push_back(buffer_);
}

std::string UnpackedSource::broken() const { return chunk_.broken.empty() ? "" : format_ + ": " + chunk_.broken; }

bool UnpackedSource::grow(std::size_t bytes) {
  while (left() < bytes) {
    if (chunk_.failure) std::rethrow_exception(std::exchange(chunk_.failure, nullptr));
    if (chunk_.last) return false;
    show(unpacking_.next());
  }
  return true;
}

// What is left of the window goes right before the bytes of the next chunk.
void UnpackedSource::show(Unpacking::Chunk next) {
  const std::size_t kept = left();
  if (kept > Unpacking::kRoomBefore) {
    join(next);
  } else if (next.size > 0) {
    std::uint8_t* const data = next.buffer->data() + Unpacking::kRoomBefore;
    if (kept) std::memcpy(data - kept, at_, kept);
    at_ = data - kept;
    end_ = data + next.size;
    buffer_ = next.buffer;
    if (leases_) leases_->push_back(buffer_);
  }
  chunk_ = std::move(next);
  chunk_.buffer.reset();
}

// Something long: it is put together in a buffer that grows by doubling.
void UnpackedSource::join(const Unpacking::Chunk& next) {
  if (next.size == 0) return;
  const std::size_t kept = left();
  const auto used = static_cast<std::size_t>(end_ - buffer_->data());
  if (buffer_->size() - used < next.size) {
    auto larger = unpacking_.buffers().take(2 * (kept + next.size));
    std::memcpy(larger->data(), at_, kept);
    at_ = larger->data();
    end_ = at_ + kept;
    buffer_ = std::move(larger);
    if (leases_) leases_->push_back(buffer_);
  }
  std::uint8_t* const to = buffer_->data() + (end_ - buffer_->data());
  std::memcpy(to, next.buffer->data() + Unpacking::kRoomBefore, next.size);
  end_ = to + next.size;
}

std::unique_ptr<ByteSource> unpacked(std::unique_ptr<ByteSource> source, const std::string& name) {
  const Compression compression = compression_of(*source);
  if (compression == Compression::none) return source;
  std::unique_ptr<Unpacker> unpacker;
  try {
    unpacker = make_unpacker(compression);
  } catch (const Error& error) {
    throw Error(name + ": " + error.what());
  }
  return std::make_unique<UnpackedSource>(std::move(source), std::move(unpacker), name_of(compression));
}

}  // namespace warpmeter::inline packet
